import { networkInterfaces } from 'node:os'
import { run, runOrThrow } from './command.ts'

/**
 * Of a range for tests (RFC 2544). The API server passes requests on to a node (`/api/v1/nodes/NAME/proxy`) at no
 * address that is loopback; on the loopback interface this one is reached from the machine itself alone, all the same.
 */
export const NODE_ADDRESS = '198.18.0.1'

/** busybox has it on every machine that has a node; iproute2 need not be there. */
function changeAddress(verb: 'add' | 'del'): readonly string[] {
  return ['ip', 'address', verb, `${NODE_ADDRESS}/32`, 'dev', 'lo']
}

export async function addNodeAddress(): Promise<void> {
  if (!isThere()) await runOrThrow('busybox', changeAddress('add'))
}

/** Gives whether it is gone. */
export async function removeNodeAddress(): Promise<boolean> {
  if (isThere()) await run('busybox', changeAddress('del'))
  return !isThere()
}

function isThere(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === NODE_ADDRESS),
  )
}
