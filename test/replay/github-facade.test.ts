import { afterAll, describe, expect, it } from 'vitest'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { gitHubFacade } from '#/sim/replay/github-facade.ts'
import type { JobDocuments } from '#/sim/replay/github-documents.ts'
import { connectGitHub } from './connect-replay.ts'

const REPOSITORY = 'acme/shop'
const BEGAN = '2026-06-01T00:00:00Z'
const ENDED = '2026-06-01T00:01:00Z'
let now = Date.parse(ENDED)
const clock = { now: () => now, sleep: async () => {} }

const step = {
  name: 'test',
  number: 1,
  status: 'completed',
  conclusion: 'failure',
  started_at: BEGAN,
  completed_at: ENDED,
}
const job: JobDocuments = {
  repository: REPOSITORY,
  id: 11,
  runId: 7,
  job: {
    id: 11,
    run_id: 7,
    run_attempt: 1,
    status: 'completed',
    conclusion: 'failure',
    created_at: BEGAN,
    started_at: BEGAN,
    completed_at: ENDED,
    name: 'unit',
    runner_name: 'r1',
    labels: [],
    steps: [step],
  },
  run: {
    id: 7,
    run_attempt: 1,
    status: 'completed',
    conclusion: 'failure',
    name: 'CI',
    event: 'push',
    head_sha: 'abc',
    created_at: BEGAN,
    run_started_at: BEGAN,
    updated_at: ENDED,
  },
  annotations: [{ path: '.github', start_line: 1, end_line: 1, annotation_level: 'failure', message: 'exit code 1' }],
  log: 'the log of the job\n',
}

const served = await serveGitHub(gitHubFacade({ clock, jobs: () => [job] }))
const github = connectGitHub(served.url)
afterAll(async () => {
  await github[Symbol.asyncDispose]()
  await served.stop()
})

async function readLog(id: number) {
  const pieces: Uint8Array[] = []
  const read = await github.jobs.log(REPOSITORY, id, { maxBytes: 1000, take: async (piece) => void pieces.push(piece) })
  return { kind: read.kind, text: Buffer.concat(pieces).toString() }
}

describe('recorded GitHub, read by the real adapter', () => {
  it('has the job, its run, its annotations and its log when it has ended', async () => {
    now = Date.parse(ENDED)
    const { documents } = github
    expect(await documents.job(REPOSITORY, 11)).toMatchObject({
      value: { conclusion: 'failure', steps: [{ name: 'test' }] },
    })
    expect(await documents.jobsOfRun(REPOSITORY, 7, { attempt: 'all' })).toMatchObject({ value: [{ id: 11 }] })
    expect(await documents.run(REPOSITORY, 7)).toMatchObject({ value: { status: 'completed' } })
    expect(await documents.annotations(REPOSITORY, 11)).toMatchObject({ value: [{ message: 'exit code 1' }] })
    expect(await readLog(11)).toEqual({ kind: 'seen', text: 'the log of the job\n' })
  })

  it('does not show what has not happened yet', async () => {
    now = Date.parse(ENDED) - 1000
    const { documents } = github
    const running = { status: 'in_progress', conclusion: null, completed_at: null }
    expect(await documents.job(REPOSITORY, 11)).toMatchObject({ value: { ...running, steps: [running] } })
    expect(await documents.unfinishedJobs(REPOSITORY)).toMatchObject({ value: [{ id: 11 }] })
    expect(await documents.annotations(REPOSITORY, 11)).toEqual({ kind: 'none' })
    expect((await readLog(11)).text).toBe('')
  })

  it('knows no other job and no other repository', async () => {
    now = Date.parse(ENDED)
    expect(await github.documents.job(REPOSITORY, 12)).toEqual({ kind: 'none' })
    expect((await github.documents.job('acme/other', 11)).kind).not.toBe('seen')
  })
})
