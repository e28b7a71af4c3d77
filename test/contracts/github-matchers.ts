import { expect } from 'vitest'
import type { BlindCode } from '#/core/basics/observed.ts'

/** vitest's matchers are `any`; these are not. */
export const someText: unknown = expect.any(String)
export const someNumber: unknown = expect.any(Number)
export const textWith = (part: string): unknown => expect.stringContaining(part)
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern)

/** Blind with this code and a detail like this, and nothing else in it. */
export function blindAs(code: BlindCode, detail: unknown = someText): unknown {
  return { kind: 'blind', reason: { code, detail } }
}
