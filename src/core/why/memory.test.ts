import { describe, expect, it } from 'vitest'

import { readEnding } from '#/core/why/ending.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { counters, readMemory } from '#/core/why/memory.ts'
import {
  CONTAINER_ID,
  END,
  SIDECAR_ID,
  makeContainer,
  ended,
  endedPod,
  makeEvidence,
  journalFact,
  logFact,
  makePod,
  makeVitals,
} from '#test/why/evidence.ts'

const memory = (changes: Partial<Evidence>) => {
  const evidence = makeEvidence(changes)
  return readMemory(evidence, readEnding(evidence))
}
const kill = (victim: string, fields: Record<string, string> = {}, at = 300) =>
  journalFact('oom-kill', { at, fields: { victim, constraint: 'CONSTRAINT_MEMCG', ...fields } })
const cgroup = (container: string | null, files: Record<string, string>) => ({
  container,
  files: new Map(Object.entries(files)),
})

describe('the victim of an OOM kill', () => {
  const pod = endedPod(0)

  it.each([
    ['Runner.Listener', true],
    ['Runner.Worker', true],
    ['run.sh', true],
    ['run-helper.sh', true],
    ['tini', true],
    ['dumb-init', true],
    ['java', false],
    ['runner-build', false],
  ])('%s is the runner itself: %s', (victim, isRunner) => {
    expect(memory({ pod, clues: [kill(victim)] }).kills).toMatchObject([{ victim, isRunner, scope: 'limit' }])
  })

  it.each([
    ['at the end of a container that was killed, it was its first process', 137, END, true],
    ['within two seconds of it too', 137, END - 2, true],
    ['long before the end it was a step', 137, END - 3, false],
    ['at the end of one that exited by itself it was a step', 1, END, false],
  ])('%s', (_what, code, at, isRunner) => {
    expect(memory({ pod: endedPod(code), clues: [kill('node', {}, at)] }).kills[0]?.isRunner).toBe(isRunner)
  })

  it('is a step if the time is not known', () => {
    const clue = { ...kill('node'), at: null }
    expect(memory({ pod: endedPod(137), clues: [clue] }).kills[0]?.isRunner).toBe(false)
    expect(memory({ pod: endedPod(137, { finishedAt: null }), clues: [kill('node')] }).kills[0]?.isRunner).toBe(false)
  })

  it('is the runner if the whole cgroup was killed', () => {
    expect(
      memory({ pod, clues: [journalFact('oom-group-kill', { fields: { victim: 'make' } })] }).kills[0]?.isRunner,
    ).toBe(true)
  })

  it('is a victim of the host if there is no limit', () => {
    expect(memory({ pod, clues: [kill('java', { constraint: 'CONSTRAINT_NONE' })] }).kills[0]?.scope).toBe('host')
  })

  it.each(['qemu-system-x86', 'cloud-hyperviso', 'firecracker', 'virtiofsd'])(
    '%s is the virtual machine, not a process of the job',
    (victim) => {
      const { kills, vm } = memory({ pod, clues: [kill(victim)] })
      expect([kills, vm.length]).toEqual([[], 1])
    },
  )

  it('is not taken from other lines or lines about other pods', () => {
    const clues = [journalFact('memcg-oom-kill'), { ...kill('java'), about: 'node' as const }]
    expect(memory({ pod, clues })).toMatchObject({ kills: [], vm: [] })
  })
})

describe('the container of an OOM kill', () => {
  const sidecar = makeContainer({ name: 'dind', id: SIDECAR_ID, state: ended(0) })
  const pod = makePod({ containers: [makeContainer({ state: ended(1) }), sidecar] })
  const exit = (container: string, about: Fact['about'] = 'subject') =>
    journalFact('container-exit', { about, fields: { code: '1', container } })

  const CASES: readonly (readonly [
    what: string,
    fields: Record<string, string>,
    evidence: Partial<Evidence>,
    counts: boolean,
  ])[] = [
    ['the runner by its name', { name: 'runner' }, { pod }, true],
    ['a sidecar by its name', { name: 'dind' }, { pod }, false],
    ['any name where the container is not known', { name: 'dind' }, {}, true],
    ['the runner by its id', { containerId: CONTAINER_ID }, { pod }, true],
    ['a sidecar by its id', { containerId: SIDECAR_ID }, { pod }, false],
    ['an id that the pod does not know: one before a restart', { containerId: 'f'.repeat(64) }, { pod }, true],
    ['no container at all', {}, { pod }, true],
    ['no container at all, without a pod', {}, { clues: [exit(SIDECAR_ID), exit(CONTAINER_ID)] }, true],
    ['an id without a pod, of one that ended', { containerId: CONTAINER_ID }, { clues: [exit(SIDECAR_ID)] }, true],
    [
      'an id without a pod, of several that ended',
      { containerId: 'f'.repeat(64) },
      { clues: [exit(SIDECAR_ID), exit(CONTAINER_ID)] },
      false,
    ],
    [
      'an id without a pod, where others of the node ended too',
      { containerId: 'f'.repeat(64) },
      { clues: [exit(SIDECAR_ID), exit(CONTAINER_ID, 'node')] },
      true,
    ],
  ]

  it.each(CASES)('%s', (_what, fields, evidence, counts) => {
    const { kills, elsewhere } = memory({ ...evidence, clues: [...(evidence.clues ?? []), kill('java', fields)] })
    expect([kills.length, elsewhere.length]).toEqual(counts ? [1, 0] : [0, 1])
  })
})

describe('memory of the host', () => {
  it.each([
    ['a global kill at the time of the end counts', 'global-oom-kill', END - 10, 1],
    ['a global kill well before does not', 'global-oom-kill', END - 11, 0],
    ['nor well after', 'global-oom-kill', END + 11, 0],
    ['a system OOM in the events counts', 'system-oom', END, 1],
    ['other lines of the node do not', 'io-error', END, 0],
    ['systemd-oomd counts only if it killed this pod', 'oomd-killed', END, 0],
  ])('%s', (_what, is, at, count) => {
    expect(memory({ pod: endedPod(137), clues: [journalFact(is, { at, about: 'node' })] }).host).toHaveLength(count)
  })

  it('is not shown by a kill without a time, or if the end has none', () => {
    const clue = journalFact('global-oom-kill', { about: 'node' })
    expect(memory({ pod: endedPod(137), clues: [{ ...clue, at: null }] }).host).toEqual([])
    expect(memory({ pod: makePod(), clues: [clue] }).host).toEqual([])
  })

  it('is shown by systemd-oomd that killed this pod, at any time', () => {
    expect(memory({ pod: makePod(), clues: [journalFact('oomd-killed', { at: 10 })] }).host).toHaveLength(1)
  })
})

describe('counters of the cgroup', () => {
  it.each([
    ['of version 2', null, { 'memory.events': 'low 0\noom 1\noom_kill 2\n' }, 1],
    ['of a killed group', null, { 'memory.events': 'oom_kill 0\noom_group_kill 1' }, 1],
    ['of version 1', null, { 'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 3' }, 1],
    ['of the runner by name', 'runner', { 'memory.events': 'oom_kill 2' }, 1],
    ['of a sidecar', 'dind', { 'memory.events': 'oom_kill 2' }, 0],
    ['of the whole pod, which may be that of a sidecar', '_pod', { 'memory.events': 'oom_kill 2' }, 0],
    ['that reached the limit without a kill', null, { 'memory.events': 'oom 5\noom_kill 0' }, 0],
    ['that are not numbers', null, { 'memory.events': 'oom_kill many' }, 0],
    ['that are missing', null, {}, 0],
  ])('%s', (_what, container, files, count) => {
    expect(memory({ pod: endedPod(137), cgroups: [cgroup(container, files)] }).counted).toHaveLength(count)
  })

  it.each([
    ['98 % of the limit are full', { 'memory.max': '1000', 'memory.peak': '980' }, 1],
    ['less is not', { 'memory.max': '1000', 'memory.peak': '979' }, 0],
    ['version 1 has other names', { 'memory.limit_in_bytes': '1000', 'memory.max_usage_in_bytes': '1000' }, 1],
    ['no limit is never full', { 'memory.max': 'max', 'memory.peak': '980' }, 0],
    ['no peak is never full', { 'memory.max': '1000' }, 0],
  ])('%s', (_what, files, count) => {
    expect(memory({ cgroups: [cgroup(null, files)] }).full).toHaveLength(count)
  })

  it('are pairs of a name and a number', () => {
    expect(counters('a 1\n  b  2\nc\nd x\n\n')).toEqual(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    )
  })
})

describe('memory of the guest', () => {
  const sample = (available: number | null, total: number | null) =>
    makeVitals({ guestAvailableBytes: available, guestTotalBytes: total })

  it.each([
    ['three hundredths left are none', [sample(30, 1000)], 1],
    ['more is enough', [sample(31, 1000)], 0],
    ['the last sample counts', [sample(10, 1000), sample(500, 1000)], 0],
    ['unknown is not empty', [sample(null, 1000)], 0],
    ['unknown in total is not empty', [sample(0, null)], 0],
  ])('%s', (_what, vitals, count) => {
    expect(memory({ vitals }).guest).toHaveLength(count)
  })

  it('is shown by the console of the guest, if it is that of this pod', () => {
    expect(memory({ clues: [logFact('guest-out-of-memory')] }).guest).toHaveLength(1)
    expect(memory({ clues: [logFact('guest-out-of-memory', { about: 'node' })] }).guest).toEqual([])
  })

  it('is not the same as a task OOM of the runtime', () => {
    const clues = [journalFact('task-oom'), journalFact('task-oom', { about: 'node' })]
    expect(memory({ clues })).toMatchObject({ guest: [], taskOom: [clues[0]] })
  })
})
