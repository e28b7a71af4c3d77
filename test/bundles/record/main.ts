/**
 * `npm run record [name …]`: makes every death that this machine's node can make, and lets `signalbox collect` write the
 * bundle of each into test/bundles/recorded.
 */
import { fileURLToPath } from 'node:url'
import { clusterSupport } from '#test/cluster/support.ts'
import { ACTS } from './acts.ts'
import type { OutsideNames } from './neutral-machine.ts'
import { dressMachine, runInside } from './neutral-machine.ts'
import { performAct } from './perform.ts'
import type { Outcome } from './perform.ts'

const INSIDE = '--inside'

async function main(args: readonly string[]): Promise<number> {
  const support = clusterSupport()
  if (support.kind !== 'full') {
    say(`nothing can be recorded here: ${support.missing}`)
    return 1
  }
  const [mark, names, ...wanted] = args
  if (mark !== INSIDE) return await runInside(fileURLToPath(import.meta.url), args)
  const outside = JSON.parse(names ?? '') as OutsideNames
  await dressMachine(outside)
  return await recordAll(outside, wanted)
}

async function recordAll(outside: OutsideNames, wanted: readonly string[]): Promise<number> {
  const begun = performance.now()
  const outcomes: Outcome[] = []
  for (const act of ACTS) {
    const recordings = act.recordings.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    if (recordings.length > 0) outcomes.push(...(await performAct({ ...act, recordings }, outside, say)))
  }
  const failed = outcomes.filter(({ result }) => result.kind === 'failed')
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
  say(`${outcomes.length - failed.length} of ${outcomes.length} recorded in ${minutes} min`)
  for (const { name, why } of CANNOT_BE_MADE) say(`not recorded: ${name}: ${why}`)
  return failed.length === 0 && outcomes.length > 0 ? 0 : 1
}

/** Printed so that the list is not mistaken for complete. */
const CANNOT_BE_MADE = [
  { name: 'oom-node', why: 'the whole machine would have to run out of memory' },
  { name: 'oom-guest, vm-teardown', why: 'there is no microVM' },
  { name: 'host-starvation', why: 'it takes minutes of a machine that does nothing else' },
  {
    name: 'registration-denied, runner-deregistered, api-rate-limited, lock-lost, self-update, tls-trust, workspace-unclean',
    why: 'GitHub or the job makes them, not the node: all evidence of them would be imitated text',
  },
]

function say(line: string): void {
  process.stderr.write(`record: ${line}\n`)
}

process.exitCode = await main(process.argv.slice(2))
