import { afterEach, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }
const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

/** Long waits are short, and a test can pass a minute in no time. */
function quickClock(): Clock & { readonly pass: (ms: number) => void } {
  let ahead = 0
  return {
    now: () => systemClock.now() + ahead,
    sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 50), signal),
    pass: (ms) => void (ahead += ms),
  }
}

const RUNNER = 'linux-k2xvq-runner-7hn4d'

/** A GitHub whose job of this runner has the status. */
function gitHubWith(status: 'in_progress' | 'completed'): GitHub {
  const at = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString()
  const steps = [
    { number: 1, name: 'make', status: 'completed', conclusion: 'success', started_at: at(40), completed_at: at(5) },
  ]
  const times = { created_at: at(60), started_at: at(45), completed_at: status === 'completed' ? at(3) : null }
  const conclusion = status === 'completed' ? 'success' : null
  const document = { id: 11, run_id: 7, name: 'build', status, conclusion, runner_name: RUNNER, steps, ...times }
  const rest = async () => blind('not-asked', 'not of this test')
  const documents = new Proxy(
    { jobsOfRun: async () => seen([document]), annotations: async () => none() },
    { get: (own, key): unknown => Reflect.get(own, key) ?? rest },
  )
  const jobs = new Proxy(
    { ofRun: async () => seen([{ status, runner: { id: 1, name: RUNNER } }]) },
    { get: (own, key): unknown => Reflect.get(own, key) ?? rest },
  )
  return { documents, jobs, access: { budgets: () => [] } } as unknown as GitHub
}

/** A runner of ARC that ends well, as its log and exit code say. */
async function endWell(github: GitHub) {
  const cluster = fakeCluster()
  const clock = quickClock()
  const started = startRecorder({ kubernetes: cluster.kubernetes, github, clock })
  running.push(started)
  const metadata = {
    ownerReferences: [
      {
        apiVersion: 'actions.github.com/v1alpha1',
        kind: 'EphemeralRunner',
        name: RUNNER,
        uid: 'uid-er',
        controller: true,
      },
    ],
  }
  const status = {
    phase: 'Running',
    jobRepositoryName: 'acme/app',
    jobDisplayName: 'build',
    workflowRunId: 7,
    runnerName: RUNNER,
  }
  const record = { ...runnerPod({ name: RUNNER, uid: 'uid-er' }), kind: 'EphemeralRunner', status }
  cluster.events(listed([]))
  cluster.runners(listed([record]))
  cluster.pods(listed([runnerPod({ name: RUNNER, metadata })]))
  const lines = [
    '2026-06-06 21:30:14Z: Running job: build',
    '2026-06-06 21:31:14Z: Job build completed with result: Succeeded',
  ]
  const text = lines.map((line) => `${new Date().toISOString()} ${line}\n`).join('')
  cluster.tails.set(`${RUNNER}/runner`, seen({ text, cut: false }))
  await cluster.taken()
  const terminated = { exitCode: 0, reason: 'Completed', finishedAt: new Date().toISOString() }
  cluster.pods({
    kind: 'modified',
    object: runnerPod({ name: RUNNER, metadata, phase: 'Succeeded', state: { terminated } }),
  })
  await vi.waitFor(() => expect(started.deaths.map(({ cause }) => cause)).toEqual(['completed-normally']), PATIENCE)
  clock.pass(90_000)
  return started
}

it('a clean end whose job GitHub still has in progress a minute later is judged again, with its evidence', async () => {
  const { deaths, store } = await endWell(gitHubWith('in_progress'))
  await vi.waitFor(
    () => expect(deaths.map(({ cause }) => cause)).toEqual(['completed-normally', 'completion-handshake-lost']),
    PATIENCE,
  )
  const stored = await store.deaths.get(`uid-${RUNNER}`)
  expect(stored?.death.verdict?.cause).toBe('completion-handshake-lost')
  expect(stored?.evidence.map(({ source }) => source)).toContain(`logs/runners/${RUNNER}/runner.log`)
})

it('one whose job has ended at GitHub stays a row', async () => {
  const asked = gitHubWith('completed')
  const ofRun = vi.spyOn(asked.jobs, 'ofRun')
  const { deaths, store } = await endWell(asked)
  await vi.waitFor(() => expect(ofRun).toHaveBeenCalledOnce(), PATIENCE)
  expect(deaths).toHaveLength(1)
  expect((await store.deaths.get(`uid-${RUNNER}`))?.evidence).toEqual([])
})
