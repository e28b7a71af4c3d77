import { describe, expect, it } from 'vitest'
import { areAlike } from './alike-hints.ts'

describe('two hints are alike', () => {
  it.each([
    ['the same text', 'wait', 'wait', true],
    ['with other names', 'kubectl -n a-1 get pods', 'kubectl -n b-2 get pods', true],
    ['with other numbers', 'set it to 17, or wait', 'set it to 4, or wait', true],
    ['with plain names that are subjects', 'add regcred to it', 'add harbor to it', true],
    ['with another word', 'delete the pod', 'restart the pod', false],
    ['with one word more', 'delete pod-1', 'do not delete pod-1', false],
  ])('%s', (_, a, b, expected) => {
    expect(areAlike(a, b, new Set(['regcred', 'harbor']))).toBe(expected)
  })
})
