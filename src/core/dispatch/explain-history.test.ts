import { describe, expect, it } from 'vitest'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { explainHistory } from './explain-history.ts'
import type { HistoryRow } from './explain-history.ts'
import type { JobEvent, ReturnReason } from './job.ts'
import { RETURN_REASONS } from './job.ts'

const RUNNER = { id: 7, name: 'linux-1-0123' }
const FACTS = {
  id: 1,
  runId: 1,
  runAttempt: 1,
  repository: 'acme/app',
  workflow: 'ci',
  name: 'test',
  labels: [],
  scope: 'ci/linux',
  queuedAt: 1,
}

const entry = (generation: number, event: JobEvent): HistoryRow => ({
  generation,
  event,
  from: 'minted',
  to: 'queued',
  at: event.at,
})
const returned = (reason: ReturnReason): JobEvent => ({ kind: 'returned', at: 5, slot: 'a', reason })

function row(id: number, changes: Partial<LedgerRow> & { readonly generation?: number } = {}): LedgerRow {
  const { generation, ...given } = changes
  const why = `generation ${generation ?? 0} of the job, pod a`
  return {
    id,
    at: 4,
    act: 'return-job',
    subject: { kind: 'Job', namespace: 'acme/app', name: '1', uid: null },
    loop: 'unregistered-runners',
    actor: 'signalbox/unregistered-runners',
    outcome: 'done',
    decidedBy: null,
    gates: generation === undefined ? [] : [{ gate: 'generation', holds: true, why, ageSeconds: 0 }],
    evidence: null,
    epoch: 1,
    why: null,
    endedAt: 5,
    run: 'r',
    scaleSet: null,
    places: 1,
    steps: [],
    ...given,
  }
}

const paths = (history: readonly HistoryRow[], ledger: readonly LedgerRow[]) =>
  explainHistory(history, ledger).map(({ by, ledger: id }) => [by, id])

describe('the code path of an entry in the history of a job', () => {
  it('is who planned the act that changed this generation', () => {
    const history = [entry(4, returned('never-registered')), entry(7, returned('never-registered'))]
    const loops = [
      row(11, { generation: 6, actor: 'signalbox/stale-claims' }),
      row(10, { generation: 3 }),
      row(9, { generation: 3, outcome: 'vanished', actor: 'signalbox/missing-pods' }),
    ]
    expect(paths(history, loops)).toEqual([
      ['signalbox/unregistered-runners', 10],
      ['signalbox/stale-claims', 11],
    ])
  })

  it('is the person who retried it, or the loop that closed it', () => {
    const history = [
      entry(4, { kind: 'retried', at: 5 }),
      entry(5, { kind: 'completed', at: 6, facts: FACTS, runner: null, conclusion: 'cancelled' }),
    ]
    const rows = [
      row(1, { generation: 3, actor: 'token/anna' }),
      row(2, { act: 'close-job', actor: 'signalbox/stale-queue' }),
    ]
    expect(paths(history, rows)).toEqual([
      ['token/anna', 1],
      ['signalbox/stale-queue', 2],
    ])
  })

  it.each<readonly [JobEvent, string]>([
    [{ kind: 'announced', at: 1, facts: FACTS }, 'github'],
    [{ kind: 'claimed', at: 1, slot: 'a' }, 'dispatch'],
    [{ kind: 'minted', at: 1, slot: 'a' }, 'dispatch'],
    [{ kind: 'retargeted', at: 1, slot: 'b', minted: true }, 'github'],
    [{ kind: 'started', at: 1, facts: FACTS, runner: RUNNER }, 'github'],
    [{ kind: 'completed', at: 1, facts: FACTS, runner: RUNNER, conclusion: 'success' }, 'github'],
    [{ kind: 'retried', at: 1 }, 'unknown'],
    ...RETURN_REASONS.map((reason) => [returned(reason), reason === 'displaced' ? 'github' : 'dispatch'] as const),
  ])('without a row of the ledger, for %j, is %s', (event, by) => {
    expect(paths([entry(2, event)], [])).toEqual([[by, null]])
  })
})
