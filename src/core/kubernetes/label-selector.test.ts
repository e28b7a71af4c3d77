import { expect, it } from 'vitest'
import { selects } from './label-selector.ts'

const LABELS = { app: 'runner', tier: 'ci' }

it.each([
  ['', true],
  ['app', true],
  ['pool', false],
  ['!pool', true],
  ['!app', false],
  ['app=runner', true],
  ['app==runner', true],
  ['app=web', false],
  ['app!=web', true],
  ['app!=runner', false],
  ['pool!=a', true],
  ['tier in (cd, ci)', true],
  ['tier in (cd)', false],
  ['tier notin (cd)', true],
  ['tier notin (ci, cd)', false],
  ['app=runner,tier in (ci, cd)', true],
  ['app=runner, pool', false],
])('the selector "%s" matches: %s', (selector, expected) => {
  expect(selects(selector, LABELS)).toBe(expected)
})
