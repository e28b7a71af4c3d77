import { finalizerActs, kubernetesActs } from '#/adapters/kubernetes/acts.ts'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { redactToBytes } from '#/app/judging.ts'
import { blind } from '#/core/basics/observed.ts'
import { toFields } from '#/core/basics/fields.ts'
import { EVIDENCE_FINALIZER, POOL_LABEL, TEMPLATE_ANNOTATION } from '#/core/pools/own-pod.ts'
import type { PoolsDecision } from '#/core/pools/reconcile/world.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import { GATES } from '#/gates/index.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Store } from '#/ports/store/store.ts'
import { keepSlots } from '#/runtime/pools/keep-slots.ts'
import { watchOwnPods } from '#/runtime/pools/own-pods.ts'
import { watchPools } from '#/runtime/pools/pool-book.ts'
import { createPoolReconciler } from '#/runtime/pools/reconcile-pools.ts'
import { createWatchedObjects } from '#/runtime/pools/watched-objects.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { deathRecord } from '#test/contracts/store-builders.ts'
import { SmallCluster } from './small-cluster.ts'

export type PaperPools = AsyncDisposable & {
  readonly cluster: SmallCluster
  readonly store: Store
  readonly exposed: () => string
  readonly lines: readonly string[]
  /** Slots, then the reconciler, as the leader does. */
  readonly round: () => Promise<PoolsDecision>
  /** Until a round does nothing more. */
  readonly settle: () => Promise<void>
  readonly pass: (ms: number) => void
  readonly apply: (spec?: object, name?: string) => void
  readonly pods: () => readonly KubeObject[]
  /** The kubelet lets each poller run. */
  readonly start: () => void
  readonly finish: (pod: string) => void
  /** What the recorder stores of a pod that has ended. */
  readonly recordDeath: (pod: string) => Promise<void>
}

export const SPEC = {
  labels: ['linux'],
  github: { scope: 'repository', owner: 'acme', repositories: ['app'], credential: 'github-app' },
  size: { warm: 0, max: 5, startTimeout: '5m', idleTimeout: '30m' },
  template: { spec: { containers: [{ name: 'runner', image: 'runner:1' }] } },
}

/** The whole slice on a cluster and a store in memory, with a clock of its own. */
export async function openPaperPools(): Promise<PaperPools> {
  const { store, lead } = openMemoryStore()
  const epoch = await lead()
  const cluster = new SmallCluster()
  const { kubernetes } = cluster
  let now = 1_780_315_200_000
  cluster.now = () => now
  cluster.put('nodes', {
    metadata: { name: 'n1', namespace: '' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })
  const book = watchPools(kubernetes, null)
  const ownPods = watchOwnPods(kubernetes, null)
  const nodes = createWatchedObjects(kubernetes, { resource: RESOURCES.nodes }, null)
  const metrics = createMetrics()
  const lines: string[] = []
  const write = (message: string, fields: object = {}): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: () => undefined, info: write, warn: write, error: write }
  const clock = { now: () => now, sleep: async () => undefined }
  let names = 0
  const over = new AbortController()
  const shared = { kubernetes, ownPods, clock, log, assignments: store.assignments }
  const reconciler = createPoolReconciler({
    ...shared,
    book,
    nodes,
    deaths: store.deaths,
    ledger: store.ledger,
    acts: kubernetesActs(kubernetes),
    finalizers: finalizerActs(kubernetes),
    github: { deregister: async () => blind('not-asked', 'an own pod that is removed has no registration') },
    gates: GATES,
    keep: { redact: redactToBytes, rules: 'test' },
    templateOf: digest,
    build: paperPod,
    drawName: () => String((names += 1)),
    limits: { startsPerNode: 10, creations: 50, retirements: 20, clearings: 50 },
    metrics,
  })
  const settled = new Set<string>()
  const running = Promise.all([book.run(over.signal), ownPods.run(over.signal), nodes.run(over.signal)])
  const watched = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const round = async (): Promise<PoolsDecision> => {
    await watched()
    await keepSlots(shared, settled, over.signal)
    const decision = await reconciler.round(over.signal, { epoch: () => epoch })
    await watched()
    return decision
  }
  const pods = (): readonly KubeObject[] => cluster.list('pods')
  return {
    cluster,
    store,
    lines,
    exposed: metrics.expose,
    round,
    settle: async () => {
      for (let rounds = 0; rounds < 20; rounds += 1) {
        now += 6000
        if ((await round()).actions.length === 0) return
      }
    },
    pass: (ms) => void (now += ms),
    apply: (spec = SPEC, name = 'linux') => {
      if (cluster.list('runnerpools').some(({ metadata }) => metadata.name === name)) {
        cluster.change('runnerpools', name, () => ({ spec }))
      } else
        cluster.put('runnerpools', {
          apiVersion: 'signalbox.dev/v1alpha1',
          kind: 'RunnerPool',
          metadata: { name, generation: 1 },
          spec,
        })
    },
    pods,
    start: () => {
      for (const { metadata } of pods().filter(({ status }) => status === undefined)) {
        cluster.change('pods', metadata.name, (pod) => waiting(pod, now))
      }
    },
    finish: (name) => cluster.change('pods', name, () => ({ status: ended(now) })),
    recordDeath: async (name) => {
      const pod = pods().find(({ metadata }) => metadata.name === name)
      const verdict = {
        cause: 'completed-normally',
        kind: 'not-a-death',
        confidence: 1,
        rules: 'test',
        judgedAt: now,
        document: {},
      }
      await store.deaths.record(
        deathRecord(pod?.metadata.uid ?? '', { pod: name, diedAt: now, recordedAt: now, verdict }),
        [],
      )
    },
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await running
    },
  }
}

function digest(pool: RunnerPool): string {
  return JSON.stringify(pool.template)
}

function paperPod(pool: RunnerPool, name: string): Readonly<Record<string, unknown>> {
  const metadata = {
    name,
    namespace: pool.namespace,
    labels: { [POOL_LABEL]: pool.name },
    annotations: { [TEMPLATE_ANNOTATION]: digest(pool) },
    finalizers: [EVIDENCE_FINALIZER],
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { ...toFields(pool.template['spec']), restartPolicy: 'Never' },
  }
}

function waiting(pod: KubeObject, now: number): object {
  const startedAt = new Date(now).toISOString()
  return {
    spec: { ...toFields(pod['spec']), nodeName: 'n1' },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: startedAt }],
      initContainerStatuses: [{ name: 'poller', restartCount: 0, state: { running: { startedAt } } }],
      containerStatuses: [{ name: 'runner', restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } }],
    },
  }
}

function ended(now: number): object {
  const finishedAt = new Date(now).toISOString()
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: finishedAt, finishedAt }
  return {
    phase: 'Succeeded',
    initContainerStatuses: [{ name: 'poller', restartCount: 0, state: { terminated } }],
    containerStatuses: [{ name: 'runner', restartCount: 0, state: { terminated } }],
  }
}
