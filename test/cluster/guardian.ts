/**
 * A separate process that outlives the test process. It reads from its input what the cluster created, one JSON line
 * each, and removes all of it when that input closes: because the owner closed it, or because
 * the owner ended, however it ended. It is also the only code path by which a cluster is stopped.
 */
import { createInterface } from 'node:readline'
import type { Belonging, Leftovers } from './belongings.ts'
import { cleanUp } from './clean-up.ts'

// Only the end of the input ends it; signals to the owner's group do not.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
// The owner may be gone, and with it the readers of these.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

const belongings: Belonging[] = []
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  // Its writer is guard.ts of the same checkout; a line that was cut by the owner's death is dropped.
  try {
    belongings.push(JSON.parse(line) as Belonging)
  } catch {
    break
  }
}
const leftovers: Leftovers = { left: await cleanUp(belongings) }
process.stdout.write(`${JSON.stringify(leftovers)}\n`)
