import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { chooseFairly } from '#/core/dispatch/fairness.ts'
import { openPostgresStore } from './open-postgres-store.ts'

/**
 * A replica. Prints `ready` and waits for input. Then it offers all slots, some at a time, until a whole round
 * brings nothing more, and prints each claim that it got as a line `job slot`. After its first claims it prints
 * `begun` and waits for input again: else a fast replica has all claims before the other one has started.
 */
const { values } = parseArgs({ options: { url: { type: 'string' }, slots: { type: 'string' } }, strict: true })
const AT_ONCE = 40
const AFTER_ALL = 1_000_000

const { store, close } = openPostgresStore(values.url ?? '')
const uids = Array.from({ length: Number(values.slots) }, (_, index) => `slot-${index + 1}`)

await store.assignments.jobs({ limit: 1 })
process.stdout.write('ready\n')
await once(process.stdin, 'data')

let begun = false
for (let given = Infinity; given > 0;) {
  given = 0
  for (let start = 0; start < uids.length; start += AT_ONCE) {
    const waiting = uids.slice(start, start + AT_ONCE)
    const request = { scope: 'pool', waiting, jobLimit: AT_ONCE, at: AFTER_ALL }
    for (const { job, slot } of await store.assignments.match(request, chooseFairly())) {
      given += 1
      process.stdout.write(`${job.id} ${slot.uid}\n`)
    }
    if (given > 0 && !begun) {
      begun = true
      process.stdout.write('begun\n')
      await once(process.stdin, 'data')
    }
  }
}
process.stdin.destroy()
await close()
