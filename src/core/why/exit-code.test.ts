import { describe, expect, it } from 'vitest'

import { signalCode } from '#/core/why/exit-code.ts'

describe('an exit code', () => {
  it.each([
    [2, 130],
    [6, 134],
    [7, 135],
    [9, 137],
    [11, 139],
    [15, 143],
  ])('of a microVM that is the raw signal %i reads as %i', (raw, code) => {
    expect(signalCode(raw, true)).toBe(code)
    expect(signalCode(code, true)).toBe(code)
  })

  it.each([0, 1, 3, 4, 5, 8, 127, 128, 137, 255])('of a microVM that is not a raw signal stays: %i', (code) => {
    expect(signalCode(code, true)).toBe(code)
  })

  it.each([2, 6, 7, 9, 11, 15])('of another container stays, although it is a signal number: %i', (code) => {
    expect(signalCode(code, false)).toBe(code)
  })
})
