import { describe, expect, it } from 'vitest'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { githubStatusFinder, isGone, isNotBusy, describeGitHubStatus } from './github-status.ts'

const OTHER = 'https://github.com/other-org'

function findStatus(runner: Omit<RunnerCase, 'name'>, more: SetCase = {}) {
  const fleet = arcFleet({ ...more, runners: [{ name: 'r', ...runner }, ...(more.runners ?? [])] })
  const [first] = fleet.runners
  if (first === undefined) throw new Error('there is no runner')
  return githubStatusFinder(fleet)(first)
}

describe("GitHub's status of a runner", () => {
  it.each<readonly [string, Omit<RunnerCase, 'name'>, SetCase, { isNotBusy: boolean; isGone: boolean }]>([
    ['GitHub lists it as online and not busy', {}, {}, { isNotBusy: true, isGone: false }],
    ['GitHub lists it as online and busy', { github: 'busy' }, {}, { isNotBusy: false, isGone: false }],
    ['GitHub lists it as offline and not busy', { github: 'offline' }, {}, { isNotBusy: true, isGone: true }],
    ['GitHub lists it as offline and busy', { github: 'offline-busy' }, {}, { isNotBusy: false, isGone: false }],
    ["GitHub's complete list does not contain it", { github: 'absent' }, {}, { isNotBusy: true, isGone: true }],
    ["GitHub's runner list could not be read", {}, { blind: ['github'] }, { isNotBusy: false, isGone: false }],
  ])('is: %s', (text, runner, more, expected) => {
    const word = findStatus(runner, more)
    expect(describeGitHubStatus(word)).toBe(text)
    expect({ isNotBusy: isNotBusy(word), isGone: isGone(word) }).toEqual(expected)
  })

  it('is unknown for a runner of another organisation than the list', () => {
    expect(findStatus({ github: 'absent', configUrl: OTHER }, { runners: [{ name: 's' }] }).kind).toBe('unknown')
  })

  it('is absent if the list has others of the same scope', () => {
    const runners = [{ name: 's' }, { name: 't', configUrl: OTHER }]
    expect(findStatus({ github: 'absent', configUrl: OTHER }, { runners }).kind).toBe('absent')
  })
})
