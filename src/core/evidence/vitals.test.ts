import { describe, expect, it } from 'vitest'

import { readVitals } from './vitals.ts'
import { vitalsTimeline } from './vitals-timeline.ts'

const line = (second: number, more: string) => `signalbox-vitals 1 time=2026-06-06T21:00:0${second}Z ${more}`
const samples = (...lines: readonly string[]) =>
  lines.map((text, second) => readVitals(line(second, text))).filter((sample) => sample !== null)

describe('a line of vitals', () => {
  it('has numbers in bytes, and no limit as Infinity', () => {
    expect(readVitals(line(0, 'cgroup=2 memory.current=1048576 memory.max=max guest.MemAvailable=1024'))).toMatchObject(
      {
        at: Date.UTC(2026, 5, 6, 21),
        cgroup: 2,
        memoryBytes: 1_048_576,
        memoryLimitBytes: Infinity,
        guestAvailableBytes: 1_048_576,
      },
    )
    expect(readVitals(line(0, 'cgroup=1 memory.max=9223372036854771712'))).toMatchObject({ memoryLimitBytes: Infinity })
  })

  it('reads missing or garbled values as unknown, never as zero', () => {
    expect(readVitals(line(0, 'memory.current=x'))).toMatchObject({ memoryBytes: null, oomKills: null, cgroup: null })
  })

  it('counts the processes of the runner, where it saw any', () => {
    expect(readVitals(line(0, 'runner.listeners=1 runner.workers=0'))).toMatchObject({ listeners: 1, workers: 0 })
    expect(readVitals(line(0, 'cgroup=2'))).toMatchObject({ listeners: null, workers: null })
  })

  it('is not any other line', () => {
    expect(readVitals('signalbox-vitals 2 time=2026-06-06T21:00:00Z')).toBeNull()
    expect(readVitals('signalbox-vitals 1 time=yesterday')).toBeNull()
    expect(readVitals('Listening for Jobs')).toBeNull()
  })
})

describe('the vitals in a timeline', () => {
  it('appear when memory became scarce, at each OOM kill, and at the end', () => {
    const read = vitalsTimeline(
      'logs',
      samples(
        'memory.current=10 memory.max=100 memory.events.oom_kill=0',
        'memory.current=95 memory.max=100 memory.events.oom_kill=0',
        'memory.current=96 memory.max=100 memory.events.oom_kill=0',
        'memory.current=50 memory.max=100 memory.events.oom_kill=1',
        'memory.current=50 memory.max=100 memory.events.oom_kill=1',
      ),
    )
    expect(read.map(({ at }) => new Date(at).getUTCSeconds())).toEqual([1, 3, 4])
  })

  it('are empty without samples, and have only what is known', () => {
    expect(vitalsTimeline('logs', [])).toEqual([])
    expect(vitalsTimeline('logs', samples('cgroup=2'))).toMatchObject([{ fact: 'vitals: memory unknown' }])
  })
})
