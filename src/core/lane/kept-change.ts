import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Cap, CapChange } from './cap.ts'
import { isSameCap, parseChange } from './cap.ts'
import type { NoteKind } from './cap-note.ts'
import { LANE_COMMANDS } from './plan-change.ts'

/** The proof in a row of `set-cap` that holds the values before and after. */
export const CHANGE_PROOF = 'change'

const MAKES: Readonly<Record<NoteKind, string>> = { quiesced: LANE_COMMANDS.quiesce, cap: LANE_COMMANDS.cap }
const ENDS: Readonly<Record<NoteKind, string>> = { quiesced: LANE_COMMANDS.resume, cap: LANE_COMMANDS.restore }

/** The change that was made last and not taken back, by the rows of one set, the latest first. */
export function findKeptChange(rows: readonly LedgerRow[], kind: NoteKind): CapChange | null {
  const own = rows.filter((row) => 'command' in row && (row.command === MAKES[kind] || row.command === ENDS[kind]))
  // A failed attempt may have changed it all the same; whether it did shows in the object.
  const tried = own.filter(({ outcome }) => outcome !== 'refused' && outcome !== 'vanished')
  const end = tried.findIndex((row) => 'command' in row && row.command === ENDS[kind] && row.outcome === 'done')
  const made = end === -1 ? tried : tried.slice(0, end)
  const changes = made.filter((row) => 'command' in row && row.command === MAKES[kind]).flatMap(readChange)
  const [last] = changes
  return last === undefined ? null : { before: findBase(changes, last), after: last.after }
}

type Tried = CapChange & { readonly isDone: boolean }

/** Caps one after the other: the way back leads to what was there before the first, but not past what somebody else set. */
function findBase(changes: readonly Tried[], last: CapChange): Cap {
  let base = last.before
  for (const { before, after, isDone } of changes.slice(1)) {
    if (isSameCap(after, base)) base = before
    else if (isDone) return base
  }
  return base
}

function readChange({ gates, outcome }: LedgerRow): readonly Tried[] {
  const proof = gates.find(({ gate }) => gate === CHANGE_PROOF)
  const change = proof === undefined ? null : parseChange(proof.why)
  return change === null ? [] : [{ ...change, isDone: outcome === 'done' }]
}
