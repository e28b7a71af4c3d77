import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toList, serveDocuments } from '#test/cli/answering-cluster.ts'
import type { AnsweringCluster } from '#test/cli/answering-cluster.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import type { RecordedDeath, RecordedServer } from '#test/server/recorded-server.ts'

const ADDRESS = 'https://github.com/acme/ads/actions/runs'
const [LIVE, RECORDED, NOBODYS, MIXED] = [9, 24_044_771_908, 7, 6]
const POD = 'ads-4vcpu-n8qcd-runner-w3k7v'
const UID = '5a46ab77-4782-4323-9774-7d3eb770f796'
const MINE = 'linux-8c-runner-x2k4p'

const CLEAN = {
  cause: 'completed-normally',
  kind: 'not-a-death',
  confidence: 1,
  rules: '1',
  judgedAt: 1,
  document: { sentence: 'It was done.', next: [], blind: [], job: { name: 'build', url: `${ADDRESS}/${MIXED}` } },
}

const ofRun = (url: string, row: RecordedDeath): RecordedDeath => ({
  repository: 'acme/ads',
  verdict: {
    cause: 'node-lost',
    kind: 'death',
    confidence: 0.8,
    rules: '1',
    judgedAt: 1,
    document: { sentence: 'It was lost.', next: [], blind: [], job: { name: 'build', url } },
  },
  ...row,
})

const pod = (name: string) => ({
  metadata: {
    namespace: 'runners',
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-06-06T21:00:00Z',
  },
  spec: { nodeName: 'n1', containers: [{ name: 'runner', image: 'runner' }] },
  status: {
    phase: 'Failed',
    startTime: '2026-06-06T21:00:01Z',
    containerStatuses: [
      {
        name: 'runner',
        state: {
          terminated: {
            exitCode: 137,
            reason: 'OOMKilled',
            startedAt: '2026-06-06T21:00:05Z',
            finishedAt: '2026-06-06T21:10:00Z',
          },
        },
      },
    ],
  },
})
const record = {
  metadata: { namespace: 'runners', name: MINE, uid: 'uid-record', resourceVersion: '1' },
  spec: { githubConfigUrl: 'https://github.com/acme' },
  status: { workflowRunId: LIVE, jobRepositoryName: 'acme/ads', jobDisplayName: 'build' },
}
const GROUPS = {
  kind: 'APIGroupList',
  groups: [{ name: 'actions.github.com', preferredVersion: { version: 'v1alpha1' } }],
}
const DOCUMENTS: Readonly<Record<string, object>> = {
  '/apis': GROUPS,
  '/api/v1/pods': toList([...Array.from({ length: 9 }, (_, index) => pod(`other-${index}`)), pod(MINE)]),
  '/apis/actions.github.com/v1alpha1/ephemeralrunners': toList([record]),
  // GitHub's, for whom one of the tests has a credential.
  [`/repos/acme/ads/actions/runs/${LIVE}/attempts/1/jobs`]: { total_count: 2, jobs: [job(1), job(2)] },
}

function job(id: number) {
  return {
    id,
    run_id: LIVE,
    run_attempt: 1,
    status: 'completed',
    conclusion: 'failure',
    runner_name: `other-${id}`,
    started_at: '2026-06-06T21:01:00Z',
  }
}

let server: RecordedServer
let cluster: AnsweringCluster
beforeAll(async () => {
  server = await serveRecorded([
    ofRun(`${ADDRESS}/${RECORDED}`, { bundle: 'force-deleted', namespace: 'arc-ads', pod: POD, uid: UID }),
    ofRun(`${ADDRESS}/${RECORDED}/job/88310160421`, { pod: 'sibling', job: 88_310_160_421 }),
    ofRun(`${ADDRESS}/${LIVE}`, { pod: 'went-before' }),
    ofRun(`${ADDRESS}/1/job/2`, { pod: 'another', job: 2 }),
    ofRun('', { pod: 'last-clean', verdict: CLEAN }),
    ofRun(`${ADDRESS}/${MIXED}`, { pod: 'killed' }),
    ofRun(`${ADDRESS}/${MIXED}`, { pod: 'killed-before' }),
    ofRun(`https://github.com/acme/api/actions/runs/${RECORDED}`, { pod: 'elsewhere', repository: 'acme/api' }),
  ])
  cluster = await serveDocuments('runners', (path) => DOCUMENTS[path])
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const why = (subject: string, ...flags: readonly string[]) =>
  runInProcess(['why', subject, '--kubeconfig', cluster.kubeconfig, '--server', server.url, ...flags])

describe('signalbox why of a run, without a credential for GitHub', () => {
  it.each([
    ['its address', `${ADDRESS}/${LIVE}`],
    ['its number', String(LIVE)],
  ])('is answered, by %s, with the pod that ARC’s record ties to it, and with no other', async (_, subject) => {
    const { code, stdout } = await why(subject, '-o', 'json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { subject: { namespace: 'runners', pod: MINE, runId: LIVE }, verdict: { cause: 'oom-container' } },
    ])
  })

  it('says that other deaths of the run are recorded, when one is live', async () => {
    const { stderr } = await why(`${ADDRESS}/${LIVE}`)
    expect(stderr).toContain('Deaths of that run are recorded too; see: signalbox deaths --kind all')
  })

  it('shows the URL of the run that ARC recorded', async () => {
    const { stdout } = await why(MINE)
    expect(stdout).toContain(`ARC recorded job "build" of acme/ads on this runner, ${ADDRESS}/${LIVE}\n`)
  })

  it.each([
    ['its address', [`${ADDRESS}/${RECORDED}`]],
    ['its address, from the store alone', [`${ADDRESS}/${RECORDED}`, '--store']],
  ])('is answered, by %s, with its recorded death', async (_, [subject = '', ...flags]) => {
    const { code, stdout, stderr } = await why(subject, ...flags, '-o', 'json')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { subject: { pod: POD }, store: { uid: UID, others: 1 } }])
    expect(stderr).toContain('From the store: the death of arc-ads/ads-4vcpu')
    expect(stderr).toContain(
      `1 other deaths of that run are recorded; see: signalbox deaths --kind all --since 30d --job ${subject}`,
    )
  })

  it.each([
    ['a run', `${ADDRESS}/${NOBODYS}`, `run ${NOBODYS} of acme/ads`, `--job ${ADDRESS}/${NOBODYS}`],
    ['a number', String(NOBODYS), `job or run ${NOBODYS}`, 'use the URL'],
    ['a job', `${ADDRESS}/${RECORDED}/job/3`, 'job 3 of acme/ads', `--job ${ADDRESS}/${RECORDED}/job/3`],
  ])('is refused for %s that no source knows, with advice', async (_, subject, name, advice) => {
    const { code, stdout, stderr } = await why(subject)
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain(`no source knows ${name}`)
    expect(stderr).toContain('no credential for GitHub is configured')
    expect(stderr).toContain('signalbox deaths --kind all')
    expect(stderr).toContain(advice)
  })

  it.each([
    ['ARC’s record', `${ADDRESS}/${LIVE}/attempts/1`, [], MINE],
    ['what was recorded', `${ADDRESS}/${RECORDED}/attempts/1`, [], POD],
    ['the store alone', `${ADDRESS}/${RECORDED}/attempts/1`, ['--store'], POD],
  ])('says that %s does not distinguish attempts', async (_, subject, flags, expected) => {
    const { stdout, stderr } = await why(subject, ...flags, '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ subject: { pod: expected } })
    expect(stderr.match(/^.*Without GitHub the attempts of a run cannot be distinguished: .+$/gm)).toHaveLength(1)
  })

  it('is answered with the latest that was not a clean end', async () => {
    const { stdout } = await why(`${ADDRESS}/${MIXED}`, '--store', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ subject: { pod: 'killed' }, store: { others: 2 } })
  })

  it.each([[[]], [['--store']]])('says that repository names are case-sensitive, with %j', async (flags) => {
    const { code, stderr } = await why(`https://github.com/Acme/Ads/actions/runs/${RECORDED}`, ...flags)
    expect([code, stderr]).toEqual([3, expect.stringContaining('repository names are case-sensitive')])
  })

  it('says that no death of the run is recorded', async () => {
    const { code, stderr } = await why(`${ADDRESS}/${NOBODYS}`, '--store')
    expect([code, stderr]).toEqual([3, expect.stringContaining(`no death of run ${NOBODYS} of acme/ads is recorded`)])
  })
})

describe('signalbox why of an attempt whose jobs GitHub lists', () => {
  it('is answered with the runners of those jobs only', async () => {
    const github = cluster.url
    const { stdout, stderr } = await runInProcess(
      ['why', `${github}/acme/ads/actions/runs/${LIVE}/attempts/1`, '--kubeconfig', cluster.kubeconfig, '-o', 'json'],
      { env: { SIGNALBOX_GITHUB_TOKEN: 'ghp_x', SIGNALBOX_GITHUB_BASE_URL: github } },
    )
    const { results } = JSON.parse(stdout) as { results: { subject: { pod: string } }[] }
    expect(results.map(({ subject }) => subject.pod)).toEqual(['other-1', 'other-2'])
    expect(stderr).not.toContain('attempts of a run')
  })
})

describe('signalbox why of an unknown pod', () => {
  it('points to signalbox deaths', async () => {
    const { code, stderr } = await why('nosuchpod')
    expect([code, stderr]).toEqual([3, expect.stringContaining('signalbox deaths --kind all')])
  })
})

describe('signalbox deaths --job', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['a run', [`${ADDRESS}/${RECORDED}`], [POD, 'sibling']],
    ['a run that had no deaths', [`${ADDRESS}/${NOBODYS}`], []],
    ['a job whose number is recorded', [`${ADDRESS}/1/job/2`], ['another']],
    ['a job of a run of which only ARC knew', [`${ADDRESS}/${RECORDED}/job/5`], [POD]],
    ['a run of another repository than requested', [`${ADDRESS}/${RECORDED}`, '--repository', 'acme/api'], []],
  ])('lists those of %s', async (_, args, expected) => {
    const { code, stdout } = await runInProcess(['deaths', '-o', 'json', '--server', server.url, '--job', ...args])
    expect([code, (JSON.parse(stdout) as { deaths: { pod: string }[] }).deaths.map((death) => death.pod)]).toEqual([
      0,
      expected,
    ])
  })
})
