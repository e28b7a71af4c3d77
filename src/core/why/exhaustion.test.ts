import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { fullDisks, fullFileTable, pressure, refusedForks, renewalGaps, unreachable } from '#/core/why/exhaustion.ts'
import { makeEvidence, logFact, makeLog, second, makeVitals } from '#test/why/evidence.ts'

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

describe('refused forks', () => {
  it.each([
    ['max 3', 1],
    ['max 0', 0],
    ['', 0],
  ])('by %j: %i', (content, count) => {
    expect(refusedForks(dossier(cgroup('pids.events', content)))).toHaveLength(count)
  })
})

describe('a full table of files', () => {
  it.each([
    ['98\t0\t100', 1],
    ['97\t0\t100', 0],
    ['0\t0\t0', 0],
    ['', 0],
    ['broken', 0],
  ])('by %j: %i', (content, count) => {
    expect(fullFileTable(dossier({ host: new Map([['proc/sys/fs/file-nr', content]]) }))).toHaveLength(count)
  })
})

describe('a full disk', () => {
  const df = (line: string) => ['Filesystem 1K-blocks Used Available Use% Mounted on', line].join('\n')

  it.each([
    ['overlay 100 100 0 100% /', 1],
    ['overlay 100 99 1 99% /var/lib', 1],
    ['overlay 100 98 2 98% /', 0],
    ['tmpfs 100 100 0 100% nowhere', 0],
  ])('by %j: %i', (line, count) => {
    expect(fullDisks(dossier({ host: new Map([['df', df(line)]]) }))).toHaveLength(count)
  })

  it('can be full of inodes, not bytes', () => {
    expect(fullDisks(dossier({ host: new Map([['df-i', df('overlay 100 100 0 100% /')]]) }))[0]?.text).toBe(
      'df-i: / is 100 % full',
    )
  })
})

describe('a runner that could not reach GitHub', () => {
  const cut = logFact('github-unreachable', { at: 500, order: 5, text: 'Runner connect error: timed out' })
  const back = (is: string, at: number | null, order: number) => logFact(is, { at, order })

  it.each([
    ['never reconnected', [cut], 1],
    ['came back', [cut, back('github-reached-again', 510, 6)], 0],
    ['renewed its lock afterwards', [cut, back('lock-renewed', 510, 6)], 0],
    ['had reconnected before', [cut, back('github-reached-again', 490, 4)], 1],
    ['was cut off again in the same second', [back('github-reached-again', 500, 4), cut], 1],
    ['reconnected in the same second', [cut, back('github-reached-again', 500, 6)], 0],
    ['only failed to poll once', [{ ...cut, text: 'Failed to get message, retrying' }], 0],
  ])('%s', (_what, clues, count) => {
    expect(unreachable(dossier({ clues }))).toHaveLength(count)
  })
})
