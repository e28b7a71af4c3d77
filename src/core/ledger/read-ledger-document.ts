import { at as valueAt, listAt, numberAt } from '#/core/basics/fields.ts'
import { LEDGER_ACTS, LEDGER_OUTCOMES } from './acts.ts'
import type { GateProof, LedgerOrigin, LedgerRow, LedgerStep, LedgerSubject } from './ledger-row.ts'

/** Back from `toLedgerDocument`; null if anything is missing or of another type. Unknown fields are left out. */
export function readLedgerDocument(document: unknown): LedgerRow | null {
  try {
    return { ...readOrigin(document), ...readFields(document) }
  } catch (error) {
    if (error instanceof WrongField) return null
    throw error
  }
}

class WrongField extends Error {}

function readFields(document: unknown) {
  return {
    id: wholeIn(document, 'id'),
    at: timeIn(document, 'at'),
    act: oneOf(LEDGER_ACTS, valueAt(document, 'act')),
    subject: readSubject(valueAt(document, 'subject')),
    actor: textIn(document, 'actor'),
    outcome: oneOf(LEDGER_OUTCOMES, valueAt(document, 'outcome')),
    decidedBy: textOrNull(document, 'decidedBy'),
    gates: listIn(document, 'gates').map(readGate),
    evidence: textOrNull(document, 'evidence'),
    epoch: wholeOrNull(document, 'epoch'),
    why: textOrNull(document, 'why'),
    endedAt: valueAt(document, 'endedAt') === null ? null : timeIn(document, 'endedAt'),
    run: textIn(document, 'run'),
    scaleSet: textOrNull(document, 'scaleSet'),
    places: wholeIn(document, 'places'),
    steps: listIn(document, 'steps').map(readStep),
  }
}

function readOrigin(document: unknown): LedgerOrigin {
  const [policy, loop, command] = ['policy', 'loop', 'command'].map((key) => valueAt(document, key))
  if (typeof policy === 'string') return { policy }
  if (typeof loop === 'string') return { loop }
  if (typeof command === 'string') return { command }
  throw new WrongField()
}

function readSubject(subject: unknown): LedgerSubject {
  const namespace = valueAt(subject, 'namespace') === undefined ? null : textIn(subject, 'namespace')
  return { kind: textIn(subject, 'kind'), namespace, name: textIn(subject, 'name'), uid: textOrNull(subject, 'uid') }
}

function readGate(gate: unknown): GateProof {
  const holds = valueAt(gate, 'holds')
  const ageSeconds = numberAt(gate, 'ageSeconds')
  if ((typeof holds !== 'boolean' && holds !== null) || ageSeconds === null) throw new WrongField()
  return { gate: textIn(gate, 'gate'), holds, why: textIn(gate, 'why'), ageSeconds }
}

function readStep(step: unknown): LedgerStep {
  return {
    step: textIn(step, 'step'),
    at: timeIn(step, 'at'),
    actor: textIn(step, 'actor'),
    epoch: wholeOrNull(step, 'epoch'),
  }
}

function textIn(document: unknown, key: string): string {
  const text = valueAt(document, key)
  if (typeof text !== 'string') throw new WrongField()
  return text
}

function textOrNull(document: unknown, key: string): string | null {
  return valueAt(document, key) === null ? null : textIn(document, key)
}

function wholeIn(document: unknown, key: string): number {
  const whole = valueAt(document, key)
  if (typeof whole !== 'number' || !Number.isSafeInteger(whole)) throw new WrongField()
  return whole
}

function wholeOrNull(document: unknown, key: string): number | null {
  return valueAt(document, key) === null ? null : wholeIn(document, key)
}

function timeIn(document: unknown, key: string): number {
  const time = Date.parse(textIn(document, key))
  if (Number.isNaN(time)) throw new WrongField()
  return time
}

function listIn(document: unknown, key: string): readonly unknown[] {
  if (!Array.isArray(valueAt(document, key))) throw new WrongField()
  return listAt(document, key)
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T {
  const found = known.find((one) => one === value)
  if (found === undefined) throw new WrongField()
  return found
}
