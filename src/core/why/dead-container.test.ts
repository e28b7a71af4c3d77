import { describe, expect, it } from 'vitest'

import { endsBefore, findDeadContainer, otherStops } from '#/core/why/dead-container.ts'
import {
  SIDECAR_ID,
  ended,
  eventFact,
  logFact,
  makeContainer,
  makeEvidence,
  makeJob,
  makePod,
  second,
} from '#test/why/evidence.ts'

const runner = makeContainer({ state: ended(0) })
const failed = { job: makeJob() }

function dead(beside: Partial<Parameters<typeof makeContainer>[0]>, more: Parameters<typeof makeEvidence>[0] = failed) {
  const pod = makePod({ containers: [makeContainer({ name: 'dind', id: SIDECAR_ID, ...beside }), runner] })
  const found = findDeadContainer(pod, makeEvidence({ pod, ...more }))
  return found === null ? null : { name: found.container.name, code: found.end?.exitCode, isOther: found.isOther }
}

const OWN = { name: 'runner', code: 0, isOther: false }
const earlier = ended(137, { finishedAt: second(500), reason: 'OOMKilled' })
const stopped = ended(0, { finishedAt: second(500) })
const probe = eventFact('probe-failed', { at: 495, fields: { container: 'dind' } })

describe('the container whose end is to be explained', () => {
  it('is the runner, if nothing beside it ended first', () => {
    expect(dead({})).toEqual(OWN)
    expect(dead({ state: ended(137, { finishedAt: second(601) }) })).toEqual(OWN)
  })

  it('is another one that was killed before the runner ended, if the job failed', () => {
    expect(dead({ state: earlier })).toEqual({ name: 'dind', code: 137, isOther: true })
    expect(dead({ state: earlier }, { job: makeJob({ conclusion: 'success' }) })).toEqual(OWN)
  })

  it('is a native sidecar too, but never an init container that ran before the runner', () => {
    expect(dead({ role: 'init', isSidecar: true, state: earlier })?.name).toBe('dind')
    expect(dead({ role: 'init', state: earlier })).toEqual(OWN)
  })

  it('is one that the kubelet stopped before the runner ended, also with exit code 0 and restarted since', () => {
    const restarted = { state: ended(0, { finishedAt: second(601) }), last: stopped }
    expect(dead(restarted, { ...failed, clues: [probe] })).toEqual({ name: 'dind', code: 0, isOther: true })
    expect(dead(restarted)).toEqual(OWN)
  })

  it('is not one that was stopped at another time', () => {
    const late = eventFact('probe-failed', { at: 560, fields: { container: 'dind' } })
    expect(dead({ state: stopped }, { ...failed, clues: [late] })).toEqual(OWN)
  })

  it('is the runner if that was killed itself', () => {
    const pod = makePod({
      containers: [makeContainer({ name: 'dind', state: earlier }), makeContainer({ state: ended(137) })],
    })
    expect(findDeadContainer(pod, makeEvidence({ pod, ...failed }))?.container.name).toBe('runner')
  })
})

describe('what ended before the runner', () => {
  it('has the end before a restart, if the later one came after the runner', () => {
    const both = makeContainer({ state: ended(0, { finishedAt: second(601) }), last: stopped })
    expect(endsBefore(both, ended(0)).map(({ finishedAt }) => finishedAt)).toEqual([second(500)])
    expect(endsBefore(both, null)).toHaveLength(2)
  })
})

describe('stops of other containers', () => {
  it('are those that name one, and a daemon that was asked to stop', () => {
    const clues = [
      probe,
      eventFact('kubelet-stops-container', { fields: { container: 'runner' } }),
      eventFact('kubelet-stops-container', { fields: {} }),
      logFact('daemon-stopped'),
      eventFact('probe-failed', { fields: { container: 'dind' }, about: 'node' }),
    ]
    expect(otherStops({ clues, pod: null }).map(({ is }) => is)).toEqual(['probe-failed', 'daemon-stopped'])
  })
})
