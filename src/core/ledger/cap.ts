import type { GateProof } from './ledger-row.ts'

/** How many runners may go: in one run, and of one scale set. Null: no bound. */
export type LedgerCap = { readonly run: number | null; readonly set: number | null }

/** Places that are taken: by what this run has under way, did or may have done, and of the set also by what others have under way. */
export type UsedPlaces = { readonly run: number; readonly set: number }

type Asking = { readonly places: number; readonly scaleSet: string | null; readonly cap: LedgerCap }

const GATE = 'within-cap'

/** The cap as a gate, counted where the attempt is written: a count from before could have been used twice. */
export function proveCap({ places, scaleSet, cap }: Asking, used: UsedPlaces): GateProof {
  const refused = (holds: false | null, why: string): GateProof => ({ gate: GATE, holds, why, ageSeconds: 0 })
  const needs = `${places} ${places === 1 ? 'place is' : 'places are'} needed`
  if (cap.run !== null && used.run + places > cap.run) {
    return refused(false, `${used.run} of ${cap.run} places of this run are taken, ${needs}`)
  }
  if (cap.set !== null && scaleSet === null)
    return refused(null, 'the scale set is not known, so its cap is not either')
  if (cap.set !== null && used.set + places > cap.set) {
    return refused(false, `${used.set} of ${cap.set} places of ${scaleSet} are taken, ${needs}`)
  }
  const rooms = [
    ...(cap.run === null ? [] : [`${used.run} of ${cap.run} places of this run`]),
    ...(cap.set === null ? [] : [`${used.set} of ${cap.set} places of ${scaleSet}`]),
  ]
  const why = rooms.length === 0 ? 'there is no cap' : `${rooms.join(' and ')} were taken before`
  return { gate: GATE, holds: true, why, ageSeconds: 0 }
}

/** With this proof in the place of an earlier one of the same gate. */
export function withProof(gates: readonly GateProof[], proof: GateProof): readonly GateProof[] {
  const place = gates.findIndex(({ gate }) => gate === proof.gate)
  return place === -1 ? [...gates, proof] : gates.with(place, proof)
}
