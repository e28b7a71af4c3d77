import { expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { endAs, newAttempt, refusedAttempt, rowIn, runnerNamed, takeStep } from '#test/contracts/ledger-builders.ts'
import { countActs } from './count-acts.ts'

it('counts each attempt once, where it ends, and starts with zeros', async () => {
  const metrics = createMetrics()
  const ledger = countActs(memoryStore().ledger, metrics)
  const shown = (act: string, outcome: string): string | undefined =>
    metrics.expose().match(`signalbox_acts_total\\{act="${act}",outcome="${outcome}"\\} (\\d+)`)?.[1]
  expect(shown('break-glass', 'vanished')).toBe('0')

  const planned = rowIn(await ledger.begin(newAttempt({ cap: { run: 1, set: null } })))
  await ledger.begin(newAttempt())
  const stepped = rowIn(await ledger.advance(planned, takeStep('deleting')))
  expect(shown('delete-ephemeral-runner', 'done')).toBe('0')
  await ledger.end(stepped, endAs('done'))
  await ledger.end(stepped, endAs('done'))
  expect(shown('delete-ephemeral-runner', 'done')).toBe('1')

  await ledger.begin(newAttempt({ subject: runnerNamed('b'), cap: { run: 1, set: null } }))
  await ledger.record(refusedAttempt())
  await ledger.record(refusedAttempt({ epoch: 1 }))
  expect(shown('delete-ephemeral-runner', 'refused')).toBe('2')
  expect(metrics.expose()).not.toContain('planned')
})
