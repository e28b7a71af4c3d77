import type { LaneNumbers } from './lane-numbers.ts'
import type { LaneView } from './view.ts'

/** The limiter classes in the order of the checks: the first that applies is the one to fix. */
export const LIMITER_CLASSES = [
  'listener-unhealthy',
  'image-pull-behind-pending',
  'runner-crash-loop',
  'quota-limit',
  'scheduler-resource-pressure',
  'pod-slot-pressure',
  'missing-scratch-volume',
  'declared-max-reached',
] as const
export type LimiterClass = (typeof LIMITER_CLASSES)[number]

/** A limiter that holds back a lane now. */
export type Limit = {
  readonly class: LimiterClass
  /** How many runners of the lane it allows, including existing ones; null if unknown. */
  readonly admits: number | null
  readonly evidence: readonly string[]
  readonly hint: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Null: it does not apply. */
export type Limiter = (view: LaneView, numbers: LaneNumbers) => Limit | null

/** Whether more runners are needed than are starting. With an unknown queue: no. */
export function wantsMore({ unmet, starving }: LaneNumbers): boolean {
  // If matching runners have been idle for long, more of them would be idle too.
  return (unmet ?? 0) > 0 && starving.length === 0
}
