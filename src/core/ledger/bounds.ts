import type { GateProof, LedgerSubject } from './ledger-row.ts'

/** More than Kubernetes permits for a name; an index of PostgreSQL takes no more than 2704 bytes. */
const LONGEST_NAME = 500
/** A proof may quote what somebody else wrote. */
const LONGEST_WHY = 2000
const MOST_GATES = 100

/** A name as the ledger keeps it. What is asked for is cut in the same way, and so is found. */
export function boundName<T extends string | null>(name: T): T {
  return cut(name, LONGEST_NAME)
}

export function boundWhy<T extends string | null>(why: T): T {
  return cut(why, LONGEST_WHY)
}

function cut<T extends string | null>(text: T, most: number): T {
  if (text === null || text.length <= most) return text
  // Half of a surrogate pair could not be stored.
  return `${text.slice(0, most - 1).toWellFormed()}…` as T
}

export function boundGates(gates: readonly GateProof[]): readonly GateProof[] {
  return gates.slice(0, MOST_GATES).map(({ gate, holds, why, ageSeconds }) => {
    return { gate: boundName(gate), holds, why: boundWhy(why), ageSeconds }
  })
}

export function boundSubject({ kind, namespace, name, uid }: LedgerSubject): LedgerSubject {
  return { kind: boundName(kind), namespace: boundName(namespace), name: boundName(name), uid: boundName(uid) }
}
