import { at, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { GUARD_MODES, VALIDATION_ACTIONS } from './manifests.ts'
import type { GuardManifest, GuardMode } from './manifests.ts'
import { findOtherPlaces } from './other-places.ts'

/** One object of the guard in the cluster, against what it should be. */
export type GuardPiece = {
  readonly manifest: GuardManifest
  readonly state: 'ok' | 'missing' | 'different' | 'blind'
  readonly detail: string
}

export function comparePiece(manifest: GuardManifest, live: Observed<unknown>): GuardPiece {
  if (live.kind === 'blind') return { manifest, state: 'blind', detail: describeReason(live.reason) }
  if (live.kind === 'none') return { manifest, state: 'missing', detail: 'not applied' }
  const differing = Object.keys(manifest.spec).filter((key) => {
    const [is, wanted] = [at(live.value, 'spec', key), manifest.spec[key]]
    return !covers(is, wanted) || (SELECTIONS.has(key) && !covers(wanted, is))
  })
  if (differing.length > 0) {
    return {
      manifest,
      state: 'different',
      detail: `${differing.join(', ')} differ${describeOthers(manifest, live.value)}`,
    }
  }
  const warning = findTypeProblem(manifest, live.value)
  return warning === null
    ? { manifest, state: 'ok', detail: printSize(manifest, live.value) }
    : { manifest, state: 'different', detail: warning }
}

/** A person who names one namespace may not know that the guard is for more. */
function describeOthers(manifest: GuardManifest, live: unknown): string {
  const others = findOtherPlaces(live, findOtherPlaces(manifest, []))
  return others.length === 0 ? '' : `: without these namespaces, which it guards in the cluster: ${others.join(', ')}`
}

/** What somebody adds to these takes runners out of the guard. */
const SELECTIONS: ReadonlySet<string> = new Set(['matchConstraints', 'matchResources', 'selector'])

/** The server adds defaults: only what is wanted is compared. */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false
    return wanted.every((one, index) => covers(live[index], one))
  }
  if (typeof wanted !== 'object' || wanted === null) return live === wanted
  return Object.entries(wanted).every(([key, value]) => covers(at(live, key), value))
}

/** The API server checks the types of a policy after it was applied. */
function findTypeProblem({ kind }: GuardManifest, live: unknown): string | null {
  if (kind !== 'ValidatingAdmissionPolicy') return null
  const observed = numberAt(live, 'status', 'observedGeneration')
  if (observed === null || observed !== numberAt(live, 'metadata', 'generation')) return 'its types are not checked yet'
  const [first] = listAt(live, 'status', 'typeChecking', 'expressionWarnings')
  return first === undefined ? null : `type warning: ${textAt(first, 'warning') ?? 'without a text'}`
}

function printSize({ kind }: GuardManifest, live: unknown): string {
  if (kind === 'ValidatingAdmissionPolicy') return 'checked by the API server, no type warnings'
  if (kind === 'ValidatingAdmissionPolicyBinding') return listAt(live, 'spec', 'validationActions').join(', ')
  const pods = numberAt(live, 'status', 'currentHealthy')
  return pods === null ? 'applied' : `${pods} ready pods under it`
}

/** By the actions of a binding; null where they are neither. */
export function readMode(binding: unknown): GuardMode | null {
  const actions = new Set(listAt(binding, 'spec', 'validationActions'))
  const isMode = (mode: GuardMode): boolean =>
    VALIDATION_ACTIONS[mode].length === actions.size && VALIDATION_ACTIONS[mode].every((one) => actions.has(one))
  return GUARD_MODES.find(isMode) ?? null
}
