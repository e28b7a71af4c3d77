import { printAge } from '#/core/basics/age.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'

/** What a source showed about a candidate, and when it was read. */
export type Reading<T> = { readonly observed: Observed<T>; readonly at: number }

export function readAt<T>(at: number, observed: Observed<T>): Reading<T> {
  return { observed, at }
}

/** What was true a while ago proves nothing about now. Null if it was read recently enough. */
export function findStale({ at }: Reading<unknown>, now: number, freshMs: number): Blind | null {
  return now - at > freshMs
    ? blind('expired', `it was read ${printAge(at, now)} ago, and ${printAge(now - freshMs, now)} is the limit`)
    : null
}
