import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { none, seen } from '#/core/basics/observed.ts'
import { before, buildEvent, dead, running, runnerPod } from '#test/fleets/cluster-parts.ts'
import { END, RUNNER, findFinding } from '#test/fleets/network-case.ts'
import type { NetworkCase } from '#test/fleets/network-case.ts'

const many = (own: NetworkCase): Finding | undefined => findFinding(own, 'many-runners-same-window')

const job = (id: number, runner: string, completed: number, own: Fields = {}): Fields => ({
  id,
  status: 'completed',
  conclusion: 'failure',
  runner_name: runner,
  completed_at: before(completed),
  steps: [{ name: 'build', status: 'completed' }],
  ...own,
})
const HALF_DONE: Fields = { steps: [{ name: 'build', status: 'in_progress' }] }
const LOST = 'The self-hosted runner: x lost communication with the server. Verify the machine is running'

const github = (
  jobs: readonly Fields[],
  annotations: readonly (readonly [number, string])[] = [],
): Partial<Snapshot> => ({
  github: {
    runners: none(),
    queuedJobs: none(),
    jobs: seen(jobs),
    rateLimit: none(),
    annotations: seen(annotations.map(([id, message]) => ({ job: id, messages: [message] }))),
  },
})

const disrupted = (since: number, reason = 'DeletionByTaintManager'): Fields => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason,
  lastTransitionTime: before(since),
})

describe('runners that ended together are found', () => {
  it('where the pods of some are gone and only GitHub knows them, minutes later', () => {
    // The asked runner's pod and its neighbours died 22 minutes ago; GitHub gave up all jobs ten minutes ago.
    const pods = [dead(RUNNER, 22), dead('lane-x7k2p-runner-bbbbb', 22)]
    const jobs = [RUNNER, 'lane-x7k2p-runner-bbbbb', 'lane-x7k2p-runner-ccccc', 'lane-x7k2p-runner-ddddd'].map(
      (name, index) => job(index + 1, name, END + index / 4, HALF_DONE),
    )
    expect(many({ lists: { pods }, others: github(jobs) })?.fields).toMatchObject({ runners: 4 })
  })

  it('where GitHub marked every step as completed, by the annotation of the job', () => {
    const jobs = [1, 2, 3].map((id) => job(id, `lane-x7k2p-runner-${'bcd'[id - 1]?.repeat(5)}`, END))
    const said = (text: string) =>
      many({
        others: github(
          jobs,
          jobs.map((_, index) => [index + 1, text]),
        ),
      })
    expect(said(LOST)?.fields).toMatchObject({ runners: 4 })
    expect(said('The runner has received a shutdown signal. This can happen when')?.fields).toMatchObject({
      runners: 4,
    })
    expect(said('Process completed with exit code 1.')).toBeUndefined()
  })

  it('where a job failed before its first step', () => {
    const jobs = [1, 2].map((id) => job(id, `r${id}`, END, { steps: [] }))
    expect(many({ others: github(jobs) })?.fields).toMatchObject({ runners: 3 })
  })

  it('where the control plane took the pods from a node that no longer answers', () => {
    const taken = (name: string, since: number): Fields =>
      runnerPod(name, { state: running(60), deleted: since, grace: 0, conditions: [disrupted(since)] })
    const pods = [
      taken(RUNNER, END),
      taken('lane-x7k2p-runner-bbbbb', END + 0.1),
      taken('lane-x7k2p-runner-ccccc', END),
    ]
    expect(many({ lists: { pods } })?.fields).toMatchObject({ runners: 3, place: 'node' })
  })

  it('where a node shut down and the runners left with exit code 0', () => {
    const leaving = (name: string): Fields => dead(name, END, { code: 0, phase: 'Failed', reason: 'Terminated' })
    const pods = [leaving(RUNNER), leaving('lane-x7k2p-runner-bbbbb'), leaving('lane-x7k2p-runner-ccccc')]
    expect(many({ lists: { pods } })?.fields).toMatchObject({ runners: 3 })
  })

  it('where only the events of the taint manager are left, which have no UID', () => {
    const events = ['bbbbb', 'ccccc'].map((end) =>
      buildEvent('TaintManagerEviction', END, `lane-x7k2p-runner-${end}`, {
        uid: null,
        message: `Marking for deletion Pod arc/lane-x7k2p-runner-${end}`,
      }),
    )
    expect(many({ lists: { events, pods: [dead(RUNNER, END)] } })?.fields).toMatchObject({ runners: 3 })
    const cancelled = events.map((event) => Object.assign({}, event, { message: 'Cancelling deletion of Pod arc/x' }))
    expect(many({ lists: { events: cancelled, pods: [dead(RUNNER, END)] } })).toBeUndefined()
  })

  it('among the pods of a controller other than ARC', () => {
    const own = (name: string, container: string): Fields =>
      dead(name, END, { owner: { kind: 'RunnerPool', name: 'mac' }, labels: {}, container })
    const pods = (container: string) => [dead(RUNNER, END), own('mac-1', container), own('mac-2', container)]
    expect(many({ lists: { pods: pods('runner') } })?.fields).toMatchObject({ runners: 3 })
    expect(many({ lists: { pods: pods('web') } })).toBeUndefined()
    // A job names them by their pod's name with a suffix.
    const jobs = ['mac-1-a1b2c3', 'mac-2-d4e5f6'].map((name, index) => job(index + 1, name, END, HALF_DONE))
    expect(many({ lists: { pods: pods('web') }, others: github(jobs) })?.fields).toMatchObject({ runners: 3 })
  })
})

describe('runners that ended together are not', () => {
  it('one runner that its pod and a suffix name twice', () => {
    const jobs = [job(1, `${RUNNER}-a1b2`, END, HALF_DONE), job(2, 'other', END, HALF_DONE)]
    expect(many({ others: github(jobs) })).toBeUndefined()
  })

  it('those that were scaled down, which a kill event alone shows', () => {
    const events = ['bbbbb', 'ccccc', 'ddddd'].map((end) =>
      buildEvent('Killing', END, `lane-x7k2p-runner-${end}`, { message: 'Stopping container runner' }),
    )
    expect(many({ lists: { events, pods: [dead(RUNNER, END)] } })).toBeUndefined()
  })

  it('others by another clock: the asked runner died long before them', () => {
    const pods = [dead(RUNNER, 25), dead('lane-x7k2p-runner-bbbbb', 12), dead('lane-x7k2p-runner-ccccc', 12)]
    const jobs = [job(1, RUNNER, END, HALF_DONE)]
    expect(many({ lists: { pods }, others: github(jobs) })).toBeUndefined()
  })

  it('drained pods that may still finish their jobs within their grace period', () => {
    const leaving = (name: string): Fields =>
      runnerPod(name, {
        state: running(60),
        deleted: -5,
        grace: 600,
        conditions: [disrupted(END, 'EvictionByEvictionAPI')],
      })
    expect(many({ pods: [leaving('a'), leaving('b')] })).toBeUndefined()
  })
})
