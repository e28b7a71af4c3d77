import { at, textAt, toFields } from '#/core/basics/fields.ts'

/** What a runner that works on a job carries, for the policies and the budget to select. */
export const WORKING_LABEL = 'signalbox.dev/working'
export const WORKING = 'true'
const BECAUSE = 'signalbox.dev/working-because'
/** Its value is the reason. Whoever sets it takes the stamp off. */
export const BREAK_GLASS = 'signalbox.dev/break-glass'

/** Who owns these fields in `managedFields`. */
export const GUARD_MANAGER = 'signalbox-guard'

/** Karpenter and the cluster autoscaler ask no policy before they choose a node. */
const AUTOSCALERS = {
  'karpenter.sh/do-not-disrupt': 'true',
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
} as const

export type StampedKind = 'Pod' | 'EphemeralRunner'

type Metadata = {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const LONGEST_REASON = 300

/**
 * The fields of the stamp for one object. An annotation of an autoscaler that somebody else has set to another value is
 * left to them.
 */
export function buildStamp(object: unknown, kind: StampedKind, why: string): Metadata {
  const present = toFields(at(object, 'metadata', 'annotations'))
  const wanted = kind === 'Pod' ? Object.entries(AUTOSCALERS) : []
  const own = wanted.filter(([key, value]) => present[key] === undefined || present[key] === value)
  return {
    labels: { [WORKING_LABEL]: WORKING },
    annotations: { [BECAUSE]: why.slice(0, LONGEST_REASON).toWellFormed(), ...Object.fromEntries(own) },
  }
}

export function isStamped(object: unknown): boolean {
  return textAt(object, 'metadata', 'labels', WORKING_LABEL) === WORKING
}

/** Why it was stamped; null where nobody wrote it down. */
export function readStampReason(object: unknown): string | null {
  return textAt(object, 'metadata', 'annotations', BECAUSE)
}

/** The reason of the person; null without one, also where it is empty. */
export function readBreakGlass(object: unknown): string | null {
  const reason = textAt(object, 'metadata', 'annotations', BREAK_GLASS)?.trim() ?? ''
  return reason === '' ? null : reason
}
