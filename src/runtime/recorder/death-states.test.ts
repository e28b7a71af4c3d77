import { expect, it } from 'vitest'
import { createDeathStates } from './death-states.ts'

it('takes each end once', () => {
  const states = createDeathStates()
  expect(states.apply('a', { kind: 'ended' })).toEqual({ state: 'seen', reported: null, failures: 0 })
  expect(states.apply('a', { kind: 'ended' })).toBeNull()
  expect(states.get('a')).toEqual({ state: 'seen', reported: null, failures: 0 })
  expect(states.get('b')).toBeNull()
})

it('forgets a pod that is no longer watched', () => {
  const states = createDeathStates()
  states.apply('a', { kind: 'overdue', at: 0 })
  expect(states.apply('a', { kind: 'unwatched' })).toBeNull()
  expect(states.get('a')).toBeNull()
})

it('remembers a bounded number of finished deaths, and all open ones', () => {
  const states = createDeathStates(2)
  states.apply('open', { kind: 'ended' })
  for (const uid of ['a', 'b', 'c']) {
    states.apply(uid, { kind: 'ended' })
    states.apply(uid, { kind: 'nothing-to-record' })
  }
  expect(states.get('a')).toBeNull()
  expect(states.get('b')).toMatchObject({ state: 'dismissed' })
  expect(states.apply('c', { kind: 'ended' })).toBeNull()
  expect(states.get('open')).toMatchObject({ state: 'seen' })
})

it('counts open deaths by state, and those that are finished', () => {
  const states = createDeathStates()
  for (const uid of ['a', 'b', 'c']) states.apply(uid, { kind: 'ended' })
  states.apply('a', { kind: 'recorded' })
  states.apply('b', { kind: 'nothing-to-record' })
  states.apply('d', { kind: 'overdue', at: 0 })
  expect(Object.fromEntries(states.counts())).toEqual({ recorded: 1, seen: 1, overdue: 1 })
  expect(states.totals()).toEqual({ open: 2, finished: 1 })
})
