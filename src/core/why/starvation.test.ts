import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { hungRunner, nodePressed, outlived, pressure, renewalGaps, stalls, wasHeldUp } from '#/core/why/starvation.ts'
import {
  annotationFact,
  endedPod,
  journalFact,
  logFact,
  makeEvidence,
  makeLog,
  makePod,
  makeVitals,
  second,
} from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence(changes))
const cgroup = (name: string, content: string) => ({
  cgroups: [{ container: null, files: new Map([[name, content]]) }],
})

describe('a gap in the renewals of the lock', () => {
  const renewed = (...times: readonly (number | null)[]) => times.map((at) => logFact('lock-renewed', { at }))

  it.each([
    ['two minutes without a renewal are one', renewed(100, 220), null, 1],
    ['less is none', renewed(100, 219), null, 0],
    ['two gaps are two', renewed(100, 300, 500), null, 2],
    ['the end of the log is the last sign of life', renewed(100), second(220), 1],
    ['the end of the log soon after is no gap', renewed(100), second(219), 0],
    ['the last renewal without a later sign of life is no gap', renewed(100), null, 0],
    ['a renewal without a time is no gap', renewed(null), second(900), 0],
  ])('%s', (_what, clues, lastAt, count) => {
    const log = lastAt === null ? null : makeLog({ lastAt })
    expect(renewalGaps(dossier({ clues, log }))).toHaveLength(count)
  })

  it('has its length', () => {
    expect(renewalGaps(dossier({ clues: renewed(100, 250) }))[0]?.text).toContain('for 150 s')
  })
})

describe('pressure', () => {
  it.each([
    ['of the processor', { cpuPressure: 40 }, 1],
    ['of the disk', { ioPressure: 40 }, 1],
    ['of memory', { memoryPressure: 40 }, 1],
    ['that is lower', { cpuPressure: 39, ioPressure: 39, memoryPressure: 39 }, 0],
    ['that was not read', {}, 0],
  ])('%s, by the vitals', (_what, sample, count) => {
    expect(pressure(dossier({ vitals: [makeVitals(sample)] }))).toHaveLength(count)
  })

  it('is reported once, with the number of samples and the last one', () => {
    const vitals = [
      makeVitals({ cpuPressure: 90, at: second(1) }),
      makeVitals({ cpuPressure: 70, at: second(2) }),
      makeVitals({ at: second(3) }),
    ]
    const facts = pressure(dossier({ vitals }))
    expect(facts.map(({ at }) => at)).toEqual([second(2)])
    expect(facts[0]?.text).toContain('cpu 70 %')
    expect(facts[0]?.text).toContain('2 samples')
  })

  it.each([
    ['cpu.pressure', 'some avg10=90.00 avg60=0\nfull avg10=40.00 avg60=0', 1],
    ['io.pressure', 'full avg10=41.5 avg60=0', 1],
    ['memory.pressure', 'full avg10=99 avg60=0', 1],
    ['cpu.pressure', 'some avg10=90.00 avg60=0\nfull avg10=39.99 avg60=0', 0],
    ['cpu.stat', 'full avg10=99 avg60=0', 0],
  ])('by %s: %j', (name, content, count) => {
    expect(pressure(dossier(cgroup(name, content)))).toHaveLength(count)
  })
})

describe('what the node logged while the runner was silent', () => {
  const stall = (at: number) => journalFact('soft-lockup', { at, about: 'node' })
  const LOST = annotationFact('lost-communication', { at: 1200 })
  const renewed = logFact('lock-renewed', { at: 600 })

  it.each([
    ['counts from the last renewal to the end that GitHub declared', [LOST, renewed, stall(700), stall(1190)], 2],
    ['counts from a quarter of an hour before that end, if no renewal was logged', [LOST, stall(400)], 1],
    ['does not count long before', [LOST, renewed, stall(400)], 0],
    ['does not count long after', [LOST, renewed, stall(1400)], 0],
    [
      'counts in a gap between renewals, if GitHub was not asked',
      [renewed, logFact('lock-renewed', { at: 900 }), stall(700)],
      1,
    ],
    ['counts near the end, if nothing else is known', [stall(590)], 1],
  ])('%s', (_what, clues, count) => {
    expect(stalls(dossier({ clues, pod: endedPod(0) }))).toHaveLength(count)
  })

  it('names a stuck process of the runner', () => {
    const hung = (task: string) => journalFact('task-hung', { at: 1000, about: 'node', fields: { task } })
    const clues = [LOST, hung('Runner.Listener'), hung('.NET ThreadPool'), hung('tar')]
    expect(hungRunner(dossier({ clues })).map(({ fields }) => fields['task'])).toEqual([
      'Runner.Listener',
      '.NET ThreadPool',
    ])
  })

  it('has the pressure that the kubelet measured at that time', () => {
    const of = (percent: number, at: number) => ({
      nodePressure: [{ what: 'io', percent, at: second(at) }],
      clues: [LOST, renewed],
    })
    expect(nodePressed(dossier(of(97, 1300)))).toHaveLength(1)
    expect(nodePressed(dossier(of(20, 1300)))).toHaveLength(0)
    expect(nodePressed(dossier(of(97, 9000)))).toHaveLength(0)
  })
})

describe('a runner that outlived its job', () => {
  const clues = [annotationFact('lost-communication', { at: 500 })]

  it('still runs, or ended after GitHub had given it up', () => {
    expect(outlived(dossier({ clues, pod: makePod() }))).toHaveLength(1)
    expect(outlived(dossier({ clues, pod: endedPod(0) }))).toHaveLength(1)
  })

  it('is not one that ended before, that is only remembered, or whose late end was found by the runtime', () => {
    expect(outlived(dossier({ clues, pod: endedPod(0, { finishedAt: second(100) }) }))).toEqual([])
    expect(outlived(dossier({ clues, pod: makePod({ lastSeenAt: second(600) }) }))).toEqual([])
    expect(outlived(dossier({ clues, pod: endedPod(255) }))).toEqual([])
    expect(outlived(dossier({ pod: makePod() }))).toEqual([])
  })

  it('was held up if it renewed late and never failed to', () => {
    const late = [logFact('lock-renewed', { at: 100 }), logFact('lock-renewed', { at: 400 })]
    expect(wasHeldUp(dossier({ clues: late }))).toBe(true)
    expect(wasHeldUp(dossier({ clues: [...late, logFact('lock-renewal-failing', { at: 200 })] }))).toBe(false)
    expect(wasHeldUp(dossier({ clues: [] }))).toBe(false)
  })
})
