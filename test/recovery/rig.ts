import { githubActs } from '#/adapters/github/acts.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { intendedJob } from '#/core/dispatch/slot.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { LoopId } from '#/core/recovery/recovery.ts'
import { LOOP_IDS } from '#/core/recovery/recovery.ts'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Store } from '#/ports/store/store.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { recoveryMetrics } from '#/runtime/recovery/metrics.ts'
import { recoveryLoops } from '#/runtime/recovery/run-loops.ts'
import type { RecoveryMeans } from '#/runtime/recovery/means.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { getJob, getSlot, recordAll } from '#test/contracts/store-builders.ts'

export const SCOPE = 'runners/linux'
const REPOSITORY = 'acme/api'
const AT = { kind: 'repository', repository: REPOSITORY } as const
const MARK = '0123abcd'

export type LedStore = { readonly store: Store; readonly lead: () => Promise<number> }
export type Rig = Awaited<ReturnType<typeof startRig>>

/** What may be put between the loops and their world, to end them in the middle. */
export type Between = {
  readonly ledger?: (real: Ledger) => Ledger
  readonly assignments?: (real: Assignments) => Assignments
}

/** The real loops on a real store, with a simulated GitHub over HTTP and a cluster that is a list of pods. */
export async function startRig({ store, lead }: LedStore) {
  const conclusions = new Map<number, string>()
  const github = await startGitHubWorld({ around: (next) => withRunConclusions(next, conclusions) })
  const { sim, clock } = github
  const cluster = createCluster()
  const metrics = createMetrics()
  const logged: string[] = []
  const means = (between: Between = {}): RecoveryMeans => ({
    assignments: between.assignments?.(store.assignments) ?? store.assignments,
    ledger: between.ledger?.(store.ledger) ?? store.ledger,
    github: github.github,
    acts: githubActs(github.github.runners),
    pools: { read: () => seen([declarePool('linux', { github: { repositories: ['api'] } })]) },
    pods: cluster.pods,
    askPod: async (slot) => cluster.asked(slot.pod),
    clock,
    log: { info: (text) => logged.push(text), warn: (text) => logged.push(text) },
    metrics: recoveryMetrics(metrics),
    mintWithinMs: 10_000,
    disabled: new Set<LoopId>(),
  })
  let epoch = await lead()
  let loops = recoveryLoops(means())
  const run = async (id: LoopId): Promise<void> => {
    const loop = loops.leaderLoops.find(({ name }) => name === `recover ${id}`)
    await loop?.run(new AbortController().signal, { epoch: () => epoch })
  }
  return {
    store,
    sim,
    clock,
    github,
    cluster,
    metrics,
    logged,
    conclusions,
    means,
    run,
    /** Another process leads, and remembers nothing. */
    restart: async (between: Between = {}, change: Partial<RecoveryMeans> = {}): Promise<void> => {
      epoch = await lead()
      loops = recoveryLoops({ ...means(between), ...change })
    },
    dryRun: async () => await loops.dryRun(LOOP_IDS, new AbortController().signal),
    runAll: async (): Promise<void> => {
      for (const id of LOOP_IDS) await run(id)
    },
    ...deeds({ store, github, cluster }),
    [Symbol.asyncDispose]: github[Symbol.asyncDispose],
  }
}

type World = {
  readonly store: Store
  readonly github: Awaited<ReturnType<typeof startGitHubWorld>>
  readonly cluster: Cluster
}

/** What happens in the world, and what our other parts write of it. */
function deeds({ store, github: { sim, clock, github }, cluster }: World) {
  const queueJob = async (): Promise<number> => {
    const { id, run, name } = sim.world.queueJob({ repository: REPOSITORY, labels: ['linux'] })
    const facts = { id, runId: run, runAttempt: 1, repository: REPOSITORY, workflow: 'ci', name, labels: ['linux'] }
    const queuedAt = clock.now()
    await recordAll(store, { kind: 'job-queued', at: queuedAt, facts: { ...facts, scope: SCOPE, queuedAt } })
    return id
  }
  const addPod = async (uid: string): Promise<void> => {
    cluster.add(uid)
    const facts = { uid, namespace: 'runners', pod: podName(uid), scope: SCOPE, node: 'm789d' }
    await recordAll(store, { kind: 'slot-appeared', at: clock.now(), facts: { ...facts, appearedAt: clock.now() } })
  }
  const claimJob = async (job: number, uid: string): Promise<void> => {
    const request = { scope: SCOPE, waiting: [uid], jobLimit: 100, at: clock.now() }
    const claims = await store.assignments.match(request, () => [{ job, slot: uid }])
    if (claims.length !== 1) throw new Error(`slot ${uid} did not get job ${job}`)
  }
  const mintAtGitHub = async (uid: string, mark = MARK): Promise<{ readonly id: number; readonly name: string }> => {
    const order = { name: `${podName(uid)}-${mark}`, groupId: 1, labels: ['linux'] }
    const minted = await github.runners.mint(AT, order)
    if (minted.kind !== 'minted') throw new Error(`not minted: ${minted.kind}`)
    return { id: minted.runner.id, name: minted.runner.name }
  }
  const mint = async (uid: string): Promise<{ readonly id: number; readonly name: string }> => {
    const runner = await mintAtGitHub(uid)
    const { generation } = await getSlot(store.assignments, uid)
    await recordAll(store, { kind: 'slot-minted', at: clock.now(), slot: { uid, generation }, runner })
    return runner
  }
  return {
    queueJob,
    addPod,
    claimJob,
    mint,
    mintAtGitHub,
    /** Up to the runner that was minted for the job. */
    dispatch: async (uid: string) => {
      const job = await queueJob()
      await addPod(uid)
      await claimJob(job, uid)
      return { job, runner: await mint(uid) }
    },
    /** At GitHub only: no webhook comes. */
    takeJob: (runner: number): void => {
      sim.world.runnerComesOnline(runner)
      for (const { job } of sim.world.assign()) sim.world.startJob(job.id)
    },
    endPod: async (uid: string, kind: 'slot-ended' | 'slot-lost' = 'slot-lost'): Promise<void> => {
      cluster.remove(uid)
      await recordAll(store, { kind, at: clock.now(), uid })
    },
    job: async (id: number) => await getJob(store.assignments, id),
    slot: async (uid: string) => await getSlot(store.assignments, uid),
    intended: async (uid: string) => intendedJob(await getSlot(store.assignments, uid)),
    ledger: async () => await store.ledger.list({ limit: 100 }),
  }
}

export const podName = (uid: string): string => `linux-${uid}`

type Cluster = ReturnType<typeof createCluster>

function createCluster() {
  const pods = new Map<string, KubeObject>()
  let isBlind = false
  const observe = <T>(value: () => Observed<T>): Observed<T> =>
    isBlind ? blind('unreachable', 'the watch is not open') : value()
  return {
    add: (uid: string): void => {
      const metadata = { name: podName(uid), namespace: 'runners', uid, resourceVersion: '1' }
      pods.set(uid, { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Pending' } })
    },
    end: (uid: string): void => {
      const pod = pods.get(uid)
      if (pod !== undefined) pods.set(uid, { ...pod, status: { phase: 'Failed' } })
    },
    remove: (uid: string): void => void pods.delete(uid),
    setBlind: (on: boolean): void => {
      isBlind = on
    },
    asked: (name: string): Observed<string> =>
      observe(() => {
        const pod = [...pods.values()].find(({ metadata }) => metadata.name === name)
        return pod === undefined ? none() : seen(pod.metadata.uid)
      }),
    pods: {
      byUid: (uid: string): Observed<KubeObject> =>
        observe(() => {
          const pod = pods.get(uid)
          return pod === undefined ? none() : seen(pod)
        }),
      all: (): Observed<readonly KubeObject[]> => observe(() => (pods.size === 0 ? none() : seen([...pods.values()]))),
    },
  }
}

/** GitHub has no way to ask for a run that ends with `startup_failure`, so its answers are changed. */
function withRunConclusions(next: FetchHandler, conclusions: ReadonlyMap<number, string>): FetchHandler {
  return async (request) => {
    const answer = await next(request)
    const run = Number(/\/actions\/runs\/(\d+)$/u.exec(new URL(request.url).pathname)?.[1])
    const conclusion = conclusions.get(run)
    if (conclusion === undefined || answer.status !== 200) return answer
    const body = { ...((await answer.json()) as object), status: 'completed', conclusion }
    return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
  }
}
