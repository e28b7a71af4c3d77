import fc from 'fast-check'
import type { AttemptEnd, AttemptStep, EndedAttempt, NewAttempt } from '#/core/ledger/attempt.ts'
import type { Store } from '#/ports/store/store.ts'

export type LedgerCommand =
  | { readonly kind: 'begin-attempt'; readonly attempt: NewAttempt }
  | { readonly kind: 'record-attempt'; readonly attempt: EndedAttempt }
  /** `pick`: which of the listed attempts; `behind`: how many steps the handle is older than the row. */
  | {
      readonly kind: 'move-attempt'
      readonly pick: number
      readonly behind: number
      readonly to: AttemptStep | AttemptEnd
    }

type Shared = {
  readonly time: fc.Arbitrary<number>
  readonly key: fc.Arbitrary<string>
  readonly text: fc.Arbitrary<string>
}

/** With so few subjects, runs and sets that attempts often meet. */
export function ledgerCommand({ time, key, text }: Shared): fc.Arbitrary<LedgerCommand> {
  const gates = fc.array(
    fc.record({
      gate: fc.oneof(text, fc.constant('within-cap')),
      holds: fc.option(fc.boolean()),
      why: text,
      ageSeconds: fc.nat(99),
    }),
    { maxLength: 2 },
  )
  // Nobody leads here: a write that names an epoch is fenced.
  const epoch = fc.option(fc.constant(1), { freq: 9 }).map((one) => (one === null ? 1 : null))
  const evidence = fc.option(key)
  const attempt = fc.record({
    at: time,
    act: fc.constantFrom('delete-pod' as const, 'set-cap' as const),
    subject: fc.record({ kind: fc.constant('Pod'), namespace: fc.option(key), name: key, uid: fc.option(key) }),
    policy: text,
    actor: text,
    gates,
    evidence,
    epoch,
    run: key,
    scaleSet: fc.option(key),
    places: fc.integer({ min: 1, max: 2 }),
  })
  const ending = fc.oneof(
    fc.record({ outcome: fc.constant('refused' as const), decidedBy: text, why: fc.option(text) }),
    fc.record({
      outcome: fc.constantFrom('done' as const, 'failed' as const, 'vanished' as const),
      decidedBy: fc.constant(null),
      why: fc.option(text),
    }),
  )
  const written = fc.record({ at: time, actor: text, epoch, gates: fc.option(gates), evidence })
  const bound = fc.option(fc.nat(4))
  return fc.oneof(
    fc.record({
      kind: fc.constant('begin-attempt' as const),
      attempt: fc
        .tuple(attempt, fc.record({ run: bound, set: bound }))
        .map(([given, cap]): NewAttempt => Object.assign({}, given, { cap })),
    }),
    fc.record({
      kind: fc.constant('record-attempt' as const),
      attempt: fc.tuple(attempt, ending).map(([given, end]): EndedAttempt => Object.assign({}, given, end)),
    }),
    fc.record({
      kind: fc.constant('move-attempt' as const),
      pick: fc.nat(3),
      behind: fc.constantFrom(0, 0, 0, 1),
      to: fc.oneof(
        fc.tuple(written, text).map(([given, step]): AttemptStep => Object.assign({}, given, { step })),
        fc.tuple(written, ending).map(([given, end]): AttemptEnd => Object.assign({}, given, end)),
      ),
    }),
  )
}

export async function performOnLedger({ ledger }: Store, command: LedgerCommand): Promise<unknown> {
  if (command.kind === 'begin-attempt') return await ledger.begin(command.attempt)
  if (command.kind === 'record-attempt') return await ledger.record(command.attempt)
  const rows = await ledger.list({ limit: 4 })
  const row = rows[command.pick % Math.max(1, rows.length)]
  if (row === undefined) return null
  const handle = { id: row.id, steps: row.steps.slice(command.behind) }
  return await ('step' in command.to ? ledger.advance(handle, command.to) : ledger.end(handle, command.to))
}

export async function readLedger({ ledger }: Store): Promise<unknown> {
  return await Promise.all([
    ledger.list({ limit: 100 }),
    ledger.list({ outcome: 'planned', limit: 2 }),
    ledger.list({ name: 'a', act: 'set-cap', limit: 2 }),
    ledger.list({ since: 200, until: 800, after: { at: 500, id: 2 }, limit: 2 }),
  ])
}
