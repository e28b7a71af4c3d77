import type { Ledger } from './ledger.ts'
import type { LaneScene } from './lane-scene.ts'

/** The limiters' classes in the order in which they are asked: the first that stands is the one to work on. */
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

/** A limiter that stands in the way of a lane now. */
export type Limit = {
  readonly class: LimiterClass
  /** How many runners of the lane it lets be, those that are there included; null where that cannot be said. */
  readonly admits: number | null
  readonly evidence: readonly string[]
  readonly hint: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Null: it does not stand in the way. */
export type Limiter = (scene: LaneScene, ledger: Ledger) => Limit | null

/** Whether more runners are wanted than are on their way. An unknown queue wants nothing that could be counted. */
export function wantsMore({ unmet, starving }: Ledger): boolean {
  // Where fitting runners idle for long, more of them would idle too.
  return (unmet ?? 0) > 0 && starving.length === 0
}
