import { networkInterfaces } from 'node:os'
import { run, runOrThrow } from './command.ts'

/**
 * From a range for tests (RFC 2544). The API server does not proxy requests to a node (`/api/v1/nodes/NAME/proxy`) at a
 * loopback address; on the loopback interface this one is still reachable only from the machine itself.
 */
export const NODE_ADDRESS = '198.18.0.1'

/** busybox has it on every machine that has a node; iproute2 may be missing. */
function changeAddress(verb: 'add' | 'del'): readonly string[] {
  return ['ip', 'address', verb, `${NODE_ADDRESS}/32`, 'dev', 'lo']
}

export async function addNodeAddress(): Promise<void> {
  if (!isThere()) await runOrThrow('busybox', changeAddress('add'))
}

/** Returns whether it is gone. */
export async function removeNodeAddress(): Promise<boolean> {
  if (isThere()) await run('busybox', changeAddress('del'))
  return !isThere()
}

function isThere(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === NODE_ADDRESS),
  )
}
