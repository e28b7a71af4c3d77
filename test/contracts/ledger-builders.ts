import type { EndedAttempt, AttemptEnd, AttemptStep, NewAttempt } from '#/core/ledger/attempt.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Begun, Moved } from '#/ports/store/ledger.ts'
import type { Store } from '#/ports/store/store.ts'

/** Where nobody is asked about a cap. */
export const NO_CAP = { run: null, set: null } as const

export function runnerNamed(name: string, uid: string | null = `uid-${name}`) {
  return { kind: 'EphemeralRunner', namespace: 'runners', name, uid } as const
}

const HOLDS = {
  gate: 'github-not-busy',
  holds: true,
  why: 'GitHub lists runner 4711 as offline',
  ageSeconds: 3,
} as const

const ATTEMPT = {
  at: 10,
  act: 'delete-ephemeral-runner',
  subject: runnerNamed('a'),
  actor: 'signalbox/reap',
  gates: [HOLDS],
  evidence: null,
  epoch: null,
  run: 'run-1',
  scaleSet: 'runners/linux',
  places: 1,
} as const

type Common = Omit<NewAttempt, 'cap' | 'policy' | 'loop' | 'command'>

export function newAttempt(changes: Partial<Common & Pick<NewAttempt, 'cap'>> = {}): NewAttempt {
  return { ...ATTEMPT, policy: 'offline', cap: NO_CAP, ...changes }
}

export function refusedAttempt(changes: Partial<Common> = {}): EndedAttempt {
  const gates = [{ gate: 'github-not-busy', holds: false, why: 'GitHub lists runner 4711 as busy', ageSeconds: 1 }]
  const end = { outcome: 'refused', decidedBy: 'github-not-busy', why: 'GitHub lists runner 4711 as busy' } as const
  return { ...ATTEMPT, policy: 'offline', gates, ...end, ...changes }
}

const WRITTEN: Omit<AttemptStep, 'step'> = { at: 20, actor: 'signalbox/reap', epoch: null, gates: null, evidence: null }

export function takeStep(step: string, changes: Partial<AttemptStep> = {}): AttemptStep {
  return { ...WRITTEN, step, ...changes }
}

export function endAs(outcome: 'done' | 'failed' | 'vanished', changes: Partial<typeof WRITTEN> = {}): AttemptEnd {
  return { ...WRITTEN, at: 30, outcome, decidedBy: null, why: null, ...changes }
}

export function endRefused(decidedBy: string): AttemptEnd {
  return { ...WRITTEN, at: 30, outcome: 'refused', decidedBy, why: `${decidedBy} refused` }
}

/** The row that was written, whatever became of it. */
export function rowIn(answer: Begun | Moved): LedgerRow {
  if (answer.kind === 'fenced' || answer.row === null) throw new Error(`no row: ${answer.kind}`)
  return answer.row
}

export async function begun(
  { ledger }: Pick<Store, 'ledger'>,
  changes: Parameters<typeof newAttempt>[0] = {},
): Promise<LedgerRow> {
  return rowIn(await ledger.begin(newAttempt(changes)))
}
