import { describe, expect, it } from 'vitest'

import { clueFinder } from '#/core/evidence/find-clues.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import { readCommon } from '#/runtime/why/read-lists.ts'
import { beganBefore, readLogs } from '#/runtime/why/read-logs.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { makeBundle, podObject } from '#test/why/bundle-in-memory.ts'
import { RUNNING, SUBJECT, makeContainer, ended, makeJob, makeLog, makePod, second } from '#test/why/evidence.ts'

const find = clueFinder(SIGNATURES)
const read = async (
  logs: Readonly<Record<string, string>>,
  whose: { readonly subject?: Subject; readonly pod?: PodFacts | null; readonly job?: WorkflowJobFacts | null } = {},
  pods: readonly object[] = [],
) =>
  readLogs(
    await readCommon(makeBundle({ logs, lists: { pods } })),
    { subject: SUBJECT, pod: null, job: null, ...whose },
    find,
  )

const stamp = (at: number, text: string) => `${new Date(second(at)).toISOString()} ${text}`
const START = 'Connected to GitHub'
const RUNS = '2026-06-06 21:01:00Z: Running job: build'
const log = (...lines: readonly string[]) => lines.join('\n')

describe('the log of the runner', () => {
  it('is that of the container called runner', async () => {
    const logs = {
      'logs/ci/linux-x1/dind.log': 'x',
      'logs/ci/linux-x1/runner.log': log(stamp(10, START), stamp(60, RUNS)),
    }
    const { clues, extent, state } = await read(logs)
    expect(clues.map(({ is, source }) => `${is} ${source}`)).toContain('job-running logs/ci/linux-x1/runner')
    expect(extent).toMatchObject({
      source: 'logs/ci/linux-x1/runner',
      firstAt: second(10),
      lastAt: second(60),
      isFromStart: true,
    })
    expect(state).toEqual({ kind: 'looked', from: null, to: null })
  })

  it("is that of the pod's runner container, whatever it is called", async () => {
    const pod = makePod({ containers: [makeContainer({ name: 'gha-runner' })] })
    const logs = { 'logs/ci/linux-x1/a.log': 'x', 'logs/ci/linux-x1/gha-runner.log': 'y' }
    expect((await read(logs, { pod })).extent?.source).toBe('logs/ci/linux-x1/gha-runner')
    expect((await read({ 'logs/ci/linux-x1/a.log': 'x' })).extent?.source).toBe('logs/ci/linux-x1/a')
  })

  it('is the previous one if the container was restarted', async () => {
    const logs = {
      'logs/ci/linux-x1/runner.log': stamp(700, 'new'),
      'logs/ci/linux-x1/runner.previous.log': stamp(10, 'old'),
    }
    const again = makePod({ containers: [makeContainer({ state: RUNNING, last: ended(137) })] })
    expect((await read(logs, { pod: again })).extent?.firstAt).toBe(second(10))
    expect((await read(logs, { pod: makePod() })).extent?.firstAt).toBe(second(700))
    expect((await read(logs)).extent?.firstAt).toBe(second(10))
    expect((await read({ 'logs/ci/linux-x1/runner.log': stamp(700, 'new') }, { pod: again })).extent?.firstAt).toBe(
      second(700),
    )
  })

  it('is blind, not empty, if there is none or only that of another pod', async () => {
    for (const logs of [{}, { 'logs/ci/linux-x2/runner.log': 'x' }, { 'logs/prod/linux-x1/runner.log': 'x' }])
      expect(await read(logs)).toMatchObject({ clues: [], extent: null, state: { kind: 'blind' } })
    const anywhere = { ...SUBJECT, namespace: null }
    expect((await read({ 'logs/prod/linux-x1/runner.log': 'x' }, { subject: anywhere })).state.kind).toBe('looked')
  })
})

describe('the log of another pod that has the name now', () => {
  const logs = { 'logs/ci/linux-x1/runner.log': log(stamp(700, START), stamp(710, RUNS)) }
  const askedByJob = { ...SUBJECT, isJobAsked: true }

  it('begins after the job ended', async () => {
    const cut = { 'logs/ci/linux-x1/runner.log': stamp(700, RUNS) }
    expect(await read(cut, { subject: askedByJob, job: makeJob() })).toMatchObject({
      clues: [],
      extent: null,
      state: { kind: 'blind' },
    })
  })

  it('is complete and begins after the job started', async () => {
    const job = makeJob({ completedAt: null })
    expect((await read(logs, { subject: askedByJob, job })).state.kind).toBe('blind')
  })

  it.each([
    ['the job is not asked for', { job: makeJob() }],
    ['there is no job', { subject: askedByJob }],
    ['the pod is known', { subject: askedByJob, job: makeJob(), pod: makePod() }],
    [
      'the job began after it',
      { subject: askedByJob, job: makeJob({ startedAt: second(705), completedAt: second(800) }) },
    ],
  ])('is not suspected where %s', async (_what, whose) => {
    expect((await read(logs, whose)).state.kind).toBe('looked')
  })

  it('is recognised by a job that ran before a complete log', () => {
    const job = makeJob()
    expect(beganBefore(job, makeLog({ firstAt: second(121) }))).toBe(true)
    expect(beganBefore(job, makeLog({ firstAt: second(120) }))).toBe(false)
    expect(beganBefore(job, makeLog({ firstAt: second(500), isFromStart: false }))).toBe(false)
    expect(beganBefore(job, makeLog({ firstAt: null }))).toBe(false)
    expect(beganBefore(makeJob({ startedAt: null }), makeLog({ firstAt: second(500) }))).toBe(false)
    expect(beganBefore(job, null)).toBe(false)
  })
})

describe('logs of others', () => {
  const own = { 'logs/ci/linux-x1/runner.log': 'x' }
  const RECORD = 'runner pod terminated pod=linux-x1 exitCode=137 signal=9 reason=Error'
  const clues = async (logs: Readonly<Record<string, string>>, pods: readonly object[] = []) =>
    (await read({ ...own, ...logs }, {}, pods)).clues.map(({ is, about }) => `${is} ${about}`)

  it('in the same pod show what a job may print, not what a runner says', async () => {
    expect(await clues({ 'logs/ci/linux-x1/dind.log': log(RUNS, 'write /x: no space left on device') })).toEqual([
      'no-space-left subject',
    ])
    const before = { ...own, 'logs/ci/linux-x1/runner.previous.log': 'write /x: no space left on device' }
    expect((await read(before, { pod: makePod() })).clues).toEqual([])
  })

  it('of a controller are about the subject where they name it', async () => {
    const logs = {
      'logs/arc/arc-controller-1/manager.log': log(stamp(1, RECORD), stamp(2, RECORD.replace('linux-x1', 'linux-x2'))),
    }
    expect(await clues(logs)).toEqual(['terminal-record subject', 'terminal-record node'])
  })

  it('of a controller are known by its labels, too', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'gha-rs-controller' }
    const logs = { 'logs/arc/any/main.log': RECORD.replace('linux-x1', 'linux-x2') }
    expect(await clues(logs, [podObject('any', { metadata: { namespace: 'arc', labels } })])).toEqual([
      'terminal-record node',
    ])
    expect(await clues(logs, [podObject('any', { metadata: { labels } })])).toEqual([])
  })

  it('of any program are about the subject where they name it, and about nothing where not', async () => {
    expect(await clues({ 'logs/ops/script-1/main.log': log(RECORD, RECORD.replace('linux-x1', 'linux-x2')) })).toEqual([
      'terminal-record subject',
    ])
  })

  it('of a controller are read where that of the runner is missing', async () => {
    const reading = await read({ 'logs/arc/arc-controller-1/manager.log': RECORD })
    expect(reading).toMatchObject({ clues: [{ is: 'terminal-record', at: null }], state: { kind: 'blind' } })
  })

  it('of a controller have the time that stands in the line', async () => {
    const line = `{"ts":"2026-06-06T21:00:05Z","msg":"${RECORD}"}`
    expect((await read({ 'logs/arc/arc-controller-1/manager.log': line })).clues[0]?.at).toBe(second(5))
  })
})
