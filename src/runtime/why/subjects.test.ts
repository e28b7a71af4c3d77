import { describe, expect, it } from 'vitest'

import { readCommon } from '#/runtime/why/read-lists.ts'
import { listSubjects } from '#/runtime/why/subjects.ts'
import { makeBundle, podObject } from '#test/why/bundle-in-memory.ts'
import type { Contents } from '#test/why/bundle-in-memory.ts'

const asked = async (argument: string | null, contents: Contents) =>
  listSubjects(argument, await readCommon(makeBundle(contents)))

const terminated = { containerStatuses: [{ name: 'runner', state: { terminated: { exitCode: 1 } } }], phase: 'Failed' }
const running = { containerStatuses: [{ name: 'runner', state: { running: {} } }] }
const job = (id: number, runner: string | null, runId = 9) => ({
  id,
  run_id: runId,
  runner_name: runner,
  started_at: '2026-06-06T21:01:00Z',
})

describe('a subject that the command line names', () => {
  const contents = {
    subject: { namespace: 'ci', pod: 'linux-x2' },
    lists: { pods: [podObject('linux-x1'), podObject('linux-x2')] },
    jobs: [job(7, 'linux-x1'), job(8, 'linux-x2'), job(5, 'linux-x3', 4)],
  }

  it('beats the one of meta.json', async () => {
    expect(await asked('linux-x1', contents)).toMatchObject([{ pod: 'linux-x1', jobId: 7, isJobAsked: false }])
  })

  it.each([
    '8',
    'https://github.com/acme/app/actions/runs/9/job/8',
    'https://github.com/acme/app/actions/runs/9/jobs/8',
    'https://github.com/acme/app/runs/8',
    'https://api.github.com/repos/acme/app/actions/jobs/8',
  ])('may be a job: %s', async (argument) => {
    expect(await asked(argument, contents)).toMatchObject([{ pod: 'linux-x2', jobId: 8, isJobAsked: true }])
  })

  it.each([
    'https://github.com/acme/app/actions/runs/9',
    'https://github.com/acme/app/actions/runs/9/',
    'https://github.com/acme/app/actions/runs/9/attempts/2',
    'https://github.com/acme/app/actions/runs/9?check_suite_focus=true',
  ])('may be a run, and then every job of it: %s', async (argument) => {
    expect(await asked(argument, contents)).toMatchObject([
      { pod: 'linux-x1', jobId: 7, runId: 9 },
      { pod: 'linux-x2', jobId: 8, runId: 9 },
    ])
  })

  const record = (name: string, workflowRunId: number, jobRepositoryName = 'acme/app') => ({
    metadata: { name, namespace: 'ci' },
    spec: { githubConfigUrl: 'https://github.com/acme' },
    status: { workflowRunId, jobRepositoryName },
  })
  const records = [record('linux-x1', 9), record('linux-x2', 9), record('linux-x3', 8), record('other', 9, 'acme/api')]

  it.each([
    'https://github.com/acme/app/actions/runs/9',
    'github.com/acme/app/actions/runs/9',
    'https://github.com/acme/app/actions/runs/9/attempts/1',
  ])('can be a run that GitHub shows only partly or not at all: %s', async (argument) => {
    const lists = { ...contents.lists, ephemeralrunners: records }
    const expected = ['linux-x1', 'linux-x2'].map((pod) => ({ pod, namespace: 'ci', runId: 9 }))
    expect(await asked(argument, { lists })).toMatchObject(expected)
    const named = await asked(argument, { lists, jobs: [job(8, 'linux-x2')] })
    // The records know no attempts: that of linux-x1 may be of another.
    const isAttempt = argument.includes('attempts')
    expect(named.map(({ pod, jobId }) => [pod, jobId])).toEqual([
      ['linux-x2', 8],
      ...(isAttempt ? [] : [['linux-x1', null]]),
    ])
  })

  it('may be the number of a run, where it is none of a job', async () => {
    const lists = { ...contents.lists, ephemeralrunners: records }
    expect(await asked('9', { ...contents, lists })).toMatchObject([
      { pod: 'linux-x1', jobId: 7 },
      { pod: 'linux-x2', jobId: 8 },
      { pod: 'other', jobId: null },
    ])
    expect(await asked('8', { ...contents, lists })).toMatchObject([{ pod: 'linux-x2', jobId: 8 }])
  })

  it('may be nobody', async () => {
    expect(await asked('linux-x9', contents)).toEqual([])
    expect(await asked('https://github.com/acme/app/actions/runs/1', contents)).toEqual([])
  })
})

describe('a subject that meta.json names', () => {
  it('is a run, and then nobody whom nothing ties to it', async () => {
    const lists = {
      pods: [podObject('linux-x1', { status: terminated }), podObject('linux-x2', { status: terminated })],
    }
    expect(await asked(null, { subject: { runId: 9 }, lists })).toEqual([])
    const jobs = [job(7, 'linux-x1')]
    expect(await asked(null, { subject: { runId: 9 }, lists, jobs })).toMatchObject([{ pod: 'linux-x1', jobId: 7 }])
  })

  it('has the run that the collector knew', async () => {
    expect(await asked(null, { subject: { namespace: 'ci', pod: 'linux-x1', runId: 9 } })).toMatchObject([{ runId: 9 }])
  })

  it('has the pod, the runner and the node that the collector knew', async () => {
    const subject = { namespace: 'ci', pod: 'linux-x1', runner: 'r-1', node: 'n7', uid: 'u7', jobId: 7 }
    expect(await asked(null, { subject })).toMatchObject([
      { namespace: 'ci', pod: 'linux-x1', runner: 'r-1', node: 'n7', uid: 'u7', jobId: 7, isJobAsked: true },
    ])
  })

  it('has the node that the sources name, if they do', async () => {
    const subject = { namespace: 'ci', pod: 'linux-x1', node: 'n7' }
    expect(await asked(null, { subject, lists: { pods: [podObject('linux-x1')] } })).toMatchObject([{ node: 'n1' }])
  })

  it('may be a runner alone', async () => {
    const contents = { subject: { runner: 'linux-x1-a1b2' }, lists: { pods: [podObject('linux-x1')] } }
    expect(await asked(null, contents)).toMatchObject([{ pod: 'linux-x1', runner: 'linux-x1-a1b2' }])
  })

  it('may be a job alone, found by the name of its runner', async () => {
    const contents = { subject: { jobId: 7 }, lists: { pods: [podObject('linux-x1')] }, jobs: [job(7, 'linux-x1')] }
    expect(await asked(null, contents)).toMatchObject([{ pod: 'linux-x1', jobId: 7 }])
  })

  it('is known by its name alone where nothing else is left of it', async () => {
    expect(await asked(null, { subject: { pod: 'linux-x1' } })).toMatchObject([{ pod: 'linux-x1', jobId: null }])
    expect(await asked(null, { subject: { jobId: 7 } })).toMatchObject([{ pod: null, jobId: 7, isJobAsked: true }])
  })

  it('is not the pod that has its name now, where the UID is another', async () => {
    const contents = {
      subject: { namespace: 'ci', pod: 'linux-x1', uid: 'old' },
      lists: { pods: [podObject('linux-x1')] },
    }
    expect(await asked(null, contents)).toMatchObject([{ pod: 'linux-x1', uid: 'old', node: null }])
  })
})

describe('if nobody is named', () => {
  const listed = (...pods: readonly object[]) => ({ lists: { pods } })
  const names = async (contents: Contents) => (await asked(null, contents)).map(({ pod }) => pod)
  const SCALE_SET = { 'actions.github.com/scale-set-name': 'linux' }

  it('every runner that ended is a subject', async () => {
    const pods = [
      podObject('a', { status: terminated }),
      podObject('b', { status: running }),
      podObject('c', { status: terminated }),
    ]
    expect(await names(listed(...pods))).toEqual(['a', 'c'])
  })

  it.each([
    ['failed', podObject('a', { status: { ...running, phase: 'Failed' } })],
    ['succeeded', podObject('a', { status: { ...running, phase: 'Succeeded' } })],
    ['is being deleted', podObject('a', { metadata: { deletionTimestamp: '2026-06-06T21:09:00Z' }, status: running })],
    [
      'was only seen last',
      podObject('a', {
        metadata: { annotations: { 'signalbox.dev/last-seen': '2026-06-06T21:09:00Z' } },
        status: running,
      }),
    ],
    [
      'was restarted',
      podObject('a', {
        status: {
          containerStatuses: [{ name: 'runner', state: { running: {} }, lastState: { terminated: { exitCode: 137 } } }],
        },
      }),
    ],
  ])('one has ended that %s', async (_what, pod) => {
    expect(await names(listed(pod))).toEqual(['a'])
  })

  it.each([
    ['has a container called runner', podObject('a', { status: terminated }), true],
    ['belongs to a scale set', podObject('a', { metadata: { labels: SCALE_SET }, status: { phase: 'Failed' } }), true],
    [
      'belongs to the older controller',
      podObject('a', { metadata: { labels: { 'actions-runner': '' } }, status: { phase: 'Failed' } }),
      true,
    ],
    [
      'listens for a scale set',
      podObject('a', {
        metadata: { labels: SCALE_SET },
        status: { phase: 'Failed', containerStatuses: [{ name: 'listener', state: {} }] },
      }),
      false,
    ],
    [
      'is any other',
      podObject('a', { status: { phase: 'Failed', containerStatuses: [{ name: 'web', state: {} }] } }),
      false,
    ],
  ])('a pod is that of a runner when it %s: %s', async (_what, pod, isRunner) => {
    expect(await names(listed(pod))).toEqual(isRunner ? ['a'] : [])
  })

  it.each([
    ['a', true],
    ['a-x1', true],
    ['ab', false],
  ])('a pod is that of a runner when GitHub gave a job to %s: %s', async (runner, isRunner) => {
    const contents = { ...listed(podObject('a', { status: { phase: 'Failed' } })), jobs: [job(7, runner)] }
    expect(await names(contents)).toEqual(isRunner ? ['a'] : [])
  })
})
