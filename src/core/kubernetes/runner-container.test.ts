import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ContainerState } from './pod-facts.ts'
import {
  findRunner,
  isRunnerSurely,
  runnerName,
  templateRunner,
  terminatedState,
  wasRestarted,
} from './runner-container.ts'
import type { NamedContainer, RunnerChoice } from './runner-container.ts'
import { RUNNING, makeContainer, ended, makePod } from '#test/why/evidence.ts'

const named = (name: string, image: string | null = null) => makeContainer({ name, image })
const WAITING = { kind: 'waiting', reason: 'CrashLoopBackOff', message: null } as const

/** What is found of these containers, in one line. */
const found = (containers: readonly NamedContainer[]): string => {
  const choice = findRunner(containers)
  if (choice.kind === 'ambiguous') return choice.candidates.map(({ name }) => name).join(' or ')
  return choice.kind === 'none' ? 'none' : `${choice.container.name} by ${choice.by}`
}

describe('the container of the runner', () => {
  it.each([
    ['called runner, wherever it stands', [named('dind'), named('a-runner'), named('runner')], 'runner by name'],
    ['with runner in its name', [named('dind'), named('gha-runner')], 'gha-runner by likeness'],
    ['beside a daemon that sorts before it', [named('a-dind'), named('actions-runner')], 'actions-runner by likeness'],
    [
      'with the image of the runner',
      [named('dind'), named('main', 'ghcr.io/actions/actions-runner:2.330.0')],
      'main by likeness',
    ],
    ['of its own beside a daemon of Docker', [named('build'), named('dind')], 'build by alone'],
    ['that is the only one', [named('dind')], 'dind by alone'],
    ['that carries the daemon in its name', [named('dind-runner'), named('proxy')], 'dind-runner by likeness'],
    ['like any other', [named('build'), named('proxy')], 'build or proxy'],
    ['like any other beside a daemon', [named('build'), named('dind'), named('proxy')], 'build or proxy'],
    ['like another by name', [named('a-runner'), named('b-runner'), named('proxy')], 'a-runner or b-runner'],
    ['that there is none of', [], 'none'],
    ['that only prepares', [makeContainer({ name: 'runner', role: 'init' })], 'none'],
    ['that somebody looks in with', [{ name: 'runner', role: 'ephemeral' as const }, named('main')], 'main by alone'],
  ])('%s', (_what, containers, expected) => {
    expect(found(containers)).toBe(expected)
  })

  it('does not depend on the order, and is one of the main containers or at least two of them', () => {
    const names = fc.constantFrom('runner', 'actions-runner', 'runner-dind', 'a-dind', 'dind', 'build', 'proxy')
    const image = fc.constantFrom(null, 'docker:dind', 'ghcr.io/actions/actions-runner:2.330.0')
    const role = fc.constantFrom('main' as const, 'init' as const, 'ephemeral' as const)
    const pods = fc.uniqueArray(fc.record({ name: names, image, role }), { selector: ({ name }) => name })
    fc.assert(
      fc.property(pods, fc.func(fc.integer()), (containers, rank) => {
        const shuffled = containers.toSorted((a, b) => rank(a.name) - rank(b.name))
        const [one, other] = [findRunner(containers), findRunner(shuffled)]
        const main = containers.filter((container) => container.role === 'main')
        expect(toSet(other)).toEqual(toSet(one))
        expect(one.kind === 'none').toBe(main.length === 0)
        expect(main).toEqual(expect.arrayContaining([...toSet(one)]))
        if (one.kind === 'ambiguous') expect(one.candidates.length).toBeGreaterThan(1)
        if (main.some(({ name }) => name === 'runner')) expect(one).toMatchObject({ container: { name: 'runner' } })
      }),
    )
  })

  it('is surely in a state only if each that it may be is', () => {
    const pod = (state: ContainerState) =>
      makePod({
        containers: [
          { ...named('build'), state: RUNNING },
          { ...named('proxy'), state },
        ],
      })
    expect(isRunnerSurely(pod(RUNNING), 'running')).toBe(true)
    expect(isRunnerSurely(pod(ended(0)), 'running')).toBe(false)
    expect(isRunnerSurely(pod(ended(0)), 'terminated')).toBe(false)
    expect(isRunnerSurely(makePod({ containers: [] }), 'running')).toBe(false)
  })

  it('of a template is only the one that ARC configures', () => {
    expect(templateRunner({ containers: [{ name: 'dind' }, { name: 'runner', image: 'x' }] })).toMatchObject({
      image: 'x',
    })
    for (const spec of [null, {}, { containers: 'x' }, { containers: [null, 7, { name: 'actions-runner' }] }]) {
      expect(templateRunner(spec)).toBeNull()
    }
  })

  it('has the name that ARC gives it while none is known, and no name among several', () => {
    expect(runnerName(null)).toBe('runner')
    expect(runnerName(makePod({ containers: [] }))).toBe('runner')
    expect(runnerName(makePod({ containers: [named('main')] }))).toBe('main')
    expect(runnerName(makePod({ containers: [named('build'), named('proxy')] }))).toBeNull()
  })
})

function toSet<Container>(choice: RunnerChoice<Container>): ReadonlySet<Container> {
  if (choice.kind === 'none') return new Set()
  return new Set(choice.kind === 'found' ? [choice.container] : choice.candidates)
}

describe('how a container ended', () => {
  it('is in its state, else in the state before a restart', () => {
    expect(terminatedState(makeContainer({ state: ended(1), last: ended(137) }))?.exitCode).toBe(1)
    expect(terminatedState(makeContainer({ state: RUNNING, last: ended(137) }))?.exitCode).toBe(137)
    expect(terminatedState(makeContainer())).toBeNull()
  })

  it('is the previous state only if it runs again, or waits to', () => {
    expect(wasRestarted(makeContainer({ state: RUNNING, last: ended(137) }))).toBe(true)
    expect(wasRestarted(makeContainer({ state: WAITING, last: ended(137) }))).toBe(true)
    expect(wasRestarted(makeContainer({ state: ended(1), last: ended(137) }))).toBe(false)
    expect(wasRestarted(makeContainer())).toBe(false)
  })
})
