import { expect, it } from 'vitest'
import { labelSelector, selects } from './label-selector.ts'

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
  ['pool in (undefined)', false],
  ['pool notin (undefined)', true],
  ['toString', false],
  ['tier in(ci)', true],
])('the selector "%s" matches: %s', (selector, expected) => {
  expect(selects(selector, LABELS)).toBe(expected)
})

it.each(['app = = x', 'a b', 'a in b', '(a)', 'a=b=c', '!'])('"%s" is no selector, and selects nothing', (text) => {
  expect(labelSelector(text)).toBeNull()
  expect(selects(text, LABELS)).toBe(false)
})
