import { memoryStore } from '#/adapters/memory/store.ts'
import { openQueueApi } from '#/app/dispatch/queue-api.ts'
import type { Config } from '#/config/config.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { PARKED_UNTIL } from '#/core/dispatch/job.ts'
import type { JobFacts, ReturnReason } from '#/core/dispatch/job.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Store } from '#/ports/store/store.ts'
import { storedBreakers } from '#/runtime/dispatch/breakers.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import type { DeclaredPool } from '#/runtime/pools/pool-book.ts'
import type { Guards } from '#/server/access/auth.ts'
import { createApp } from '#/server/app.ts'
import { listen } from '#/server/listen.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { getJob, getSlot, recordAll } from '#test/contracts/store-builders.ts'
import { ownPod, PutPods, SCOPE } from '#test/dispatch/own-pods.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { admitAll, openGuards } from '#test/server/open-guards.ts'

export type QueueServer = Awaited<ReturnType<typeof serveQueue>>

type Given = { readonly store?: Store; readonly guards?: Guards; readonly withoutWorld?: true }

/** The API about jobs, runners and pools over a store, with the pool `runners/linux` and the clock in our hands. */
export async function serveQueue({ store = memoryStore(), guards = openGuards, withoutWorld }: Given = {}) {
  const clock = createHandClock()
  const metrics = createMetrics()
  const pods = new PutPods()
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const breakers = storedBreakers({ breakers: store.breakers, clock, metrics })
  const book = { now: seen([toDeclared(declarePool('linux'))]) as Observed<readonly DeclaredPool[]> }
  const world = { book: { declared: () => book.now }, ownPods: pods }
  const part = openQueueApi(withoutWorld === true ? null : world, {
    store,
    ledger: store.ledger,
    guards,
    admit: admitAll,
    breakers,
    clock,
    log,
    metrics,
    // The part reads no setting.
    config: {} as Config,
  })
  const app = createApp({ version: '1', metrics, readiness: [], log, routes: part.routes ?? [] })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 }, null)
  if (listening.kind === 'refused') throw new Error(listening.why)
  const { url } = listening
  return {
    url,
    store,
    clock,
    pods,
    breakers,
    declare: (...pools: readonly (RunnerPool | DeclaredPool)[]): void => {
      book.now = seen(pools.map((pool) => ('reading' in pool ? pool : toDeclared(pool))))
    },
    hidePools: (): void => {
      book.now = blind('unreachable', 'the API server does not answer')
    },
    ask: async (path: string, method = 'GET') => await askChecked(app, path, { method }),
    get: async (path: string): Promise<unknown> => await (await askChecked(app, path)).json(),
    cli: async (...args: readonly string[]) => await runInProcess([...args, '--server', url], { clock }),
    ...deeds(store, clock, pods),
    [Symbol.asyncDispose]: listening.close,
  }
}

export function toDeclared(pool: RunnerPool, object: KubeObject | null = null): DeclaredPool {
  const { namespace, name } = pool
  const reading = { kind: 'valid', pool } as const
  return { scope: `${namespace}/${name}`, namespace, name, reading, isDeleting: false, hasFinalizer: true, object }
}

/** So many jobs of a repository are candidates. */
const OTHERS = Array.from({ length: 20 }, (_, index) => `other-${index}`)

/** What happens to jobs and pods, as our other parts write it. */
function deeds(store: Store, clock: { readonly now: () => number }, pods: PutPods) {
  const at = (): number => clock.now()
  const queue = async (id: number, given: Partial<JobFacts> = {}): Promise<void> => {
    const facts = { id, runId: id, runAttempt: 1, repository: 'acme/app', workflow: 'ci', name: `test ${id}` }
    const whole = { ...facts, labels: ['linux'], scope: SCOPE, queuedAt: at(), ...given }
    await recordAll(store, { kind: 'job-queued', at: at(), facts: whole })
  }
  const addPod = async (uid: string, poller: 'waiting' | 'unschedulable' = 'waiting'): Promise<void> => {
    pods.put(poller === 'waiting' ? waitingPod(uid) : unschedulablePod(uid))
    const facts = { uid, namespace: 'runners', pod: `linux-${uid}`, scope: SCOPE, node: 'n1', appearedAt: at() }
    await recordAll(store, { kind: 'slot-appeared', at: at(), facts })
  }
  const claim = async (job: number, slot: string): Promise<void> => {
    const request = { scope: SCOPE, waiting: [slot, ...OTHERS], jobLimit: 1000, at: at() }
    const claims = await store.assignments.match(request, () => [{ job, slot }])
    if (claims.length !== 1) throw new Error(`slot ${slot} did not get job ${job}`)
  }
  const mint = async (uid: string): Promise<{ readonly id: number; readonly name: string }> => {
    const { generation } = await getSlot(store.assignments, uid)
    const runner = { id: 4711, name: `linux-${uid}-01234567` }
    await recordAll(store, { kind: 'slot-minted', at: at(), slot: { uid, generation }, runner })
    return runner
  }
  const give = async (job: number, slot: string, reason: ReturnReason): Promise<void> => {
    const { generation } = await getJob(store.assignments, job)
    await recordAll(store, { kind: 'job-returned', at: at(), job: { id: job, generation }, slot, reason })
  }
  /** Until it is parked: each return is a row of its history. */
  const park = async (job: number, slot: string): Promise<void> => {
    for (let time = at(); ; time += 3_600_000) {
      const before = await getJob(store.assignments, job)
      if (before.state === 'queued' && before.notBefore === PARKED_UNTIL) return
      const request = { scope: SCOPE, waiting: [slot, ...OTHERS], jobLimit: 1000, at: time }
      await store.assignments.match(request, () => [{ job, slot }])
      const { generation } = await getJob(store.assignments, job)
      const reason = 'claim-stale' as const
      await recordAll(store, { kind: 'job-returned', at: time, job: { id: job, generation }, slot, reason })
    }
  }
  const start = async (job: number, runner: { readonly id: number; readonly name: string }): Promise<void> => {
    const { id, runId, runAttempt, repository, workflow, name, labels, scope, queuedAt } = await getJob(
      store.assignments,
      job,
    )
    const facts = { id, runId, runAttempt, repository, workflow, name, labels, scope, queuedAt }
    await recordAll(store, { kind: 'job-started', at: at(), facts, runner })
  }
  return { queue, addPod, claim, mint, give, park, start }
}

function waitingPod(uid: string): KubeObject {
  const started = { state: { running: { startedAt: '2026-11-15T11:30:00Z' } } }
  return podWith(uid, { phase: 'Pending', initContainerStatuses: [{ name: 'poller', restartCount: 0, ...started }] })
}

const UNSCHEDULED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: '0/3 nodes are available: 3 Insufficient cpu.',
}

function unschedulablePod(uid: string): KubeObject {
  const pod = podWith(uid, { phase: 'Pending', conditions: [UNSCHEDULED] })
  const { nodeName: _none, ...spec } = pod['spec'] as Record<string, unknown>
  return { ...pod, spec }
}

function podWith(uid: string, status: Readonly<Record<string, unknown>>): KubeObject {
  const spec = { nodeName: 'n1', initContainers: [{ name: 'poller' }], containers: [{ name: 'runner' }] }
  return { ...ownPod(uid), spec, status }
}
