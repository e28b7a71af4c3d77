import { describe, expect, it } from 'vitest'

import { runnerContainer, terminatedState, wasRestarted } from './runner-container.ts'
import { RUNNING, containerOf, ended, podOf } from '#test/why/evidence.ts'

const named = (name: string, image: string | null = null) => containerOf({ name, image })
const WAITING = { kind: 'waiting', reason: 'CrashLoopBackOff', message: null } as const

describe('the container of the runner', () => {
  it.each([
    ['the one called runner, wherever it stands', [named('dind'), named('a-runner'), named('runner')], 'runner'],
    ['one with runner in its name', [named('dind'), named('gha-runner')], 'gha-runner'],
    [
      'one whose image is that of the runner',
      [named('dind'), named('main', 'ghcr.io/actions/actions-runner:2.330.0')],
      'main',
    ],
    ['else the first', [named('build'), named('dind')], 'build'],
  ])('is %s', (_what, containers, name) => {
    expect(runnerContainer(podOf({ containers }))?.name).toBe(name)
  })

  it('is never an init container', () => {
    expect(runnerContainer(podOf({ containers: [containerOf({ role: 'init' })] }))).toBeNull()
  })
})

describe('how a container ended', () => {
  it('is in its state, else in the state before a restart', () => {
    expect(terminatedState(containerOf({ state: ended(1), last: ended(137) }))?.exitCode).toBe(1)
    expect(terminatedState(containerOf({ state: RUNNING, last: ended(137) }))?.exitCode).toBe(137)
    expect(terminatedState(containerOf())).toBeNull()
  })

  it('is the previous state only if it runs again, or waits to', () => {
    expect(wasRestarted(containerOf({ state: RUNNING, last: ended(137) }))).toBe(true)
    expect(wasRestarted(containerOf({ state: WAITING, last: ended(137) }))).toBe(true)
    expect(wasRestarted(containerOf({ state: ended(1), last: ended(137) }))).toBe(false)
    expect(wasRestarted(containerOf())).toBe(false)
  })
})
