import { expect, it } from 'vitest'
import { createDeathStates } from './death-states.ts'

it('takes each end once', () => {
  const states = createDeathStates()
  expect(states.apply('a', { kind: 'ended' })).toEqual({ state: 'seen', reported: null })
  expect(states.apply('a', { kind: 'ended' })).toBeNull()
  expect(states.get('a')).toEqual({ state: 'seen', reported: null })
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
    states.apply(uid, { kind: 'failed' })
  }
  expect(states.get('a')).toBeNull()
  expect(states.get('b')).toMatchObject({ state: 'parked' })
  expect(states.apply('c', { kind: 'ended' })).toBeNull()
  expect(states.get('open')).toMatchObject({ state: 'seen' })
})
