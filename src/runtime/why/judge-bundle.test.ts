import { describe, expect, it } from 'vitest'

import { CAUSES } from '#/causes/index.ts'
import { judgeBundle, buildRules } from './judge-bundle.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { makeBundle, podObject } from '#test/why/bundle-in-memory.ts'
import type { Contents } from '#test/why/bundle-in-memory.ts'

const rules = buildRules(SIGNATURES)
const found = async (argument: string | null, contents: Contents) =>
  judgeBundle(makeBundle(contents), argument, { rules, causes: CAUSES })

const oom = (name: string) =>
  podObject(name, {
    status: {
      phase: 'Failed',
      startTime: '2026-06-06T21:00:05Z',
      containerStatuses: [
        {
          name: 'runner',
          state: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-06-06T21:10:00Z' } },
        },
      ],
    },
  })

describe('judging a bundle', () => {
  it('judges the subject, with its container and timeline', async () => {
    const findings = await found('linux-x1', { lists: { pods: [oom('linux-x1')] } })
    expect(findings).toMatchObject({
      kind: 'found',
      results: [{ verdict: { cause: 'oom-container' }, subject: { pod: 'linux-x1', container: 'runner' } }],
    })
    expect(findings.kind === 'found' && findings.results[0]?.timeline.length).toBeGreaterThan(0)
  })

  it('adds the run and job from ARC’s record at the start of the runner', async () => {
    const status = { workflowRunId: 9, jobRepositoryName: 'acme/app', jobDisplayName: 'build' }
    const spec = { githubConfigUrl: 'https://github.com/acme' }
    const record = { metadata: { name: 'linux-x1', namespace: 'ci' }, spec, status }
    const lists = { pods: [oom('linux-x1')], ephemeralrunners: [record] }
    const row = {
      at: Date.parse('2026-06-06T21:00:05Z'),
      source: 'kubernetes/ephemeralrunners',
      fact: 'ARC recorded job "build" of acme/app on this runner, https://github.com/acme/app/actions/runs/9',
    }
    const alone = await found('linux-x1', { lists })
    const [one] = alone.kind === 'found' ? alone.results : []
    expect([one?.subject.runId, one?.timeline]).toEqual([9, expect.arrayContaining([row])])
    const job = { id: 7, run_id: 9, runner_name: 'linux-x1', started_at: '2026-06-06T21:01:00Z' }
    const judgement = await found('linux-x1', { lists, jobs: [job] })
    const [other] = judgement.kind === 'found' ? judgement.results : []
    expect([other?.subject.jobId, other?.timeline]).toEqual([7, expect.not.arrayContaining([row])])
  })

  it('judges every ended runner if no subject is named', async () => {
    const findings = await found(null, { lists: { pods: [oom('a'), oom('b'), podObject('c')] } })
    expect(findings.kind === 'found' && findings.results.map(({ subject }) => subject.pod)).toEqual(['a', 'b'])
  })

  it('lists at most five known pods if the subject is not found', async () => {
    const pods = Array.from({ length: 7 }, (_, index) => podObject(`p${index}`))
    expect(await found('nobody', { lists: { pods } })).toEqual({
      kind: 'no-subject',
      known: ['ci/p0', 'ci/p1', 'ci/p2', 'ci/p3', 'ci/p4'],
    })
    expect(await found(null, {})).toEqual({ kind: 'no-subject', known: [] })
  })
})

describe('the rules of the journal', () => {
  it('keep only the literals of signatures for journal lines', () => {
    expect(rules.literals).toContain('oom-kill:constraint=')
    expect(rules.literals).not.toContain('finish job request for job ')
  })
})
