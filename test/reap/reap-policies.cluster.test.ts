import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { textAt, toFields } from '#/core/basics/fields.ts'
import { POLICY_IDS } from '#/core/interlock/policy.ts'
import type { PolicyId } from '#/core/interlock/policy.ts'
import { installArc } from '#test/cluster/arc-crds.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { createNamespace, podPath, readPod, untilLogged, untilPhase } from '#test/cluster/pods.ts'
import { createRecordedPod, recordedSet } from '#test/cluster/recorded-arc.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { runnerScript } from '#test/operate/runners.ts'
import { ARC, settle } from './recorded-place.ts'
import type { Place } from './recorded-place.ts'
import { APPLY, decisions, listAll, memoryBook, reap } from './run-reap.ts'
import { REPOSITORY } from './simulated-fleet.ts'

const opened = vi.hoisted(() => ({ book: null as ActBook | null }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => opened.book }))

const TIMEOUT = { timeout: 900_000 }
const MERGE = 'application/merge-patch+json'
const LINES: Partial<Readonly<Record<PolicyId, string>>> = {
  zombie: 'Error: Conflict. Retrying until reconnected.',
  handoff: 'Skipping message Job. Job message not found: job was canceled',
}

describeWithPrivateNode('the policies of reap on a real node, with the processes of real pods', (cluster) => {
  let namespace: string
  let settled: Place | null = null
  const pods: { readonly namespace: string; readonly name: string }[] = []
  beforeAll(async () => {
    await installArc(cluster())
    await cluster().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'arc-systems' } } })
    const account = {
      method: 'POST',
      path: '/api/v1/namespaces/arc-systems/serviceaccounts',
      body: { metadata: { name: 'default' } },
    } as const
    await cluster().call(account)
  }, 900_000)
  afterEach(async () => {
    for (const pod of pods.splice(0)) await removePod(cluster(), pod)
    await settled?.[Symbol.asyncDispose]()
    settled = null
  }, 300_000)

  /** Two runners of a recorded set, each with its pod: of the second one only a process shows that it works. */
  const settlePods = async (policy: PolicyId, wish: { readonly recording: string; readonly of: string }) => {
    opened.book = memoryBook()
    namespace = await createNamespace(cluster(), 'runners')
    const place = await settle(cluster(), { ...wish, namespace })
    settled = place
    const [first = '', second = ''] = place.names
    const says = LINES[policy] ?? 'Listening for Jobs'
    for (const [name, works] of [
      [first, false],
      [second, true],
    ] as const) {
      if (policy === 'never-registered' || (policy === 'failed' && !works)) continue
      pods.push({ namespace, name })
      const { recorded, uids } = place
      await createRecordedPod(cluster(), { recorded, name, uids, script: runnerScript({ works, says }) })
    }
    for (const pod of pods) await untilPhase(cluster(), pod, 'Running')
    for (const pod of pods) await untilLogged(cluster(), pod, { container: 'runner', text: says })
    return { place, first, second }
  }

  const run = (place: Place, policy: PolicyId, ...flags: readonly string[]) =>
    reap(place, ['--policy', policy, '--repo', REPOSITORY, ...APPLY, ...flags])

  it.each(POLICY_IDS.filter((id) => id !== 'wedge'))(
    '%s finds both, refuses the one that works, and acts on the other',
    TIMEOUT,
    async (policy) => {
      const { place, first, second } = await settlePods(policy, { recording: '0.14.2-healthy-idle', of: 'linux-x64' })
      await PREPARE[policy]({ cluster: cluster(), place, namespace, names: [first, second] })
      const { code, answer, stderr } = await run(place, policy)
      const works =
        policy === 'hung' || policy === 'never-registered' ? 'refused no-job-on-record' : 'refused no-worker-process'
      expect([stderr, code, decisions(answer).toSorted()]).toEqual([
        expect.any(String),
        4,
        [works, policy === 'hung' ? works : 'removed'].toSorted(),
      ])
      const byName = answer?.candidates.find(({ subject }) => textAt(subject, 'name') === second)
      expect(byName?.decision).toBe('refused')
      expect([await place.isLeaving(first), await place.isLeaving(second)]).toEqual([policy !== 'hung', false])
      const rows = await listAll(opened.book?.ledger ?? memoryBook().ledger)
      expect(rows.map(({ outcome }) => outcome).toSorted()).toEqual(
        policy === 'hung' ? ['refused', 'refused'] : ['done', 'refused'],
      )
      // GitHub forgets an ephemeral runner whose job is completed.
      const isUnlisted = policy === 'never-registered' || policy === 'hung'
      expect(place.sim.world.runner(place.ids.get(second) ?? 0) === undefined).toBe(isUnlisted)
    },
  )

  it(
    'wedge of 0.13.1 is refused whole while one runner works, then scaled to 0, and its new listener proves it',
    TIMEOUT,
    async () => {
      const { place, second } = await settlePods('wedge', {
        recording: '0.13.1-wedged-values-change',
        of: 'docker-build',
      })
      const refused = await run(place, 'wedge')
      expect([refused.code, decisions(refused.answer)]).toEqual([4, ['refused no-worker-process']])
      expect(await readReplicas(cluster(), namespace)).not.toBe(0)
      await removePod(cluster(), { namespace, name: second })
      const { recorded, uids } = place
      await createRecordedPod(cluster(), { recorded, name: second, uids, script: runnerScript() })
      await untilPhase(cluster(), { namespace, name: second }, 'Running')
      await untilLogged(cluster(), { namespace, name: second }, { container: 'runner', text: 'Listening for Jobs' })
      place.clock.meanwhile = async () => {
        if ((await readReplicas(cluster(), namespace)) === 0) await actAsArc(cluster(), place, namespace)
      }
      const { code, answer, stderr } = await run(place, 'wedge', '--wait', '5m')
      pods.push({ namespace: 'arc-systems', name: LISTENER })
      expect([stderr, code, decisions(answer)]).toEqual([expect.any(String), 0, ['removed']])
      expect(answer?.candidates).toMatchObject([
        { act: 'scale-ephemeral-runner-set', freed: { kind: 'freed', listener: LISTENER } },
      ])
      expect(await readReplicas(cluster(), namespace)).toBe(0)
    },
  )
})

const LISTENER = 'docker-build-b94c957d-listener'

async function removePod(
  cluster: NodeCluster,
  pod: { readonly namespace: string; readonly name: string },
): Promise<void> {
  await cluster.call({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=1` })
  await until({
    what: `pod ${pod.name} to be gone`,
    timeoutMs: 120_000,
    probe: async () => ((await readPod(cluster, pod)) === undefined ? true : undefined),
  })
}

async function readReplicas(cluster: NodeCluster, namespace: string): Promise<unknown> {
  const list = toFields(await cluster.callOk({ path: `${ARC}/namespaces/${namespace}/ephemeralrunnersets` }))
  const [first] = list['items'] as readonly object[]
  return toFields(toFields(first)['spec'])['replicas']
}

/** What ARC does next, by the recordings: the runners go, and the listener and its pod are made. */
async function actAsArc(cluster: NodeCluster, place: Place, namespace: string): Promise<void> {
  const made = await readPod(cluster, { namespace: 'arc-systems', name: LISTENER })
  if (made !== undefined) return
  for (const name of place.names) {
    const path = `${ARC}/namespaces/${namespace}/ephemeralrunners/${name}`
    await cluster.callOk({ method: 'PATCH', path, contentType: MERGE, body: { metadata: { finalizers: null } } })
    await cluster.callOk({ method: 'DELETE', path })
  }
  const healthy = await recordedSet({ recording: '0.14.2-healthy-idle', of: 'docker-build', namespace })
  const [listener] = healthy.listeners
  if (listener === undefined) throw new Error('the recording has no listener')
  const { name } = listener.metadata
  const labels = toFields(listener.metadata['labels'])
  const version = { 'app.kubernetes.io/version': '0.13.1' }
  const body = { ...listener, metadata: { name, namespace: 'arc-systems', labels: { ...labels, ...version } } }
  const own = await cluster.callOk({ method: 'POST', path: `${ARC}/namespaces/arc-systems/autoscalinglisteners`, body })
  const uids = new Map([[textAt(listener, 'metadata', 'uid') ?? '', textAt(own, 'metadata', 'uid') ?? '']])
  await createRecordedPod(cluster, {
    recorded: healthy,
    name,
    uids,
    script: 'echo Getting next message; exec sleep 3600',
  })
  await untilPhase(cluster, { namespace: 'arc-systems', name }, 'Running')
}

type Prepared = {
  readonly cluster: NodeCluster
  readonly place: Place
  readonly namespace: string
  readonly names: readonly [string, string]
}

const vanish = ({ place, names }: Prepared): void => {
  for (const name of names) place.sim.world.runnerVanishes(place.ids.get(name) ?? 0)
}

const PREPARE: Readonly<Record<Exclude<PolicyId, 'wedge'>, (own: Prepared) => Promise<void>>> = {
  offline: async (own) => vanish(own),
  zombie: async (own) => vanish(own),
  'never-registered': async ({ place, names: [first, second] }) => {
    const nothing = { runnerId: null, runnerName: null, phase: null, ready: null }
    for (const name of [first, second]) {
      await place.patchStatus(name, nothing)
      place.sim.world.removeRunner({ kind: 'repository', fullName: REPOSITORY }, place.ids.get(name) ?? 0)
    }
    await place.recordJob(second)
  },
  failed: async (own) => {
    vanish(own)
    for (const name of own.names)
      await own.place.patchStatus(name, { phase: 'Failed', ready: null, reason: 'InvalidPod' })
  },
  hung: async ({ place, names }) => {
    for (const name of names) {
      const job = place.sim.world.queueJob({ repository: REPOSITORY, labels: [name] })
      place.sim.world.assign()
      place.sim.world.startJob(job.id)
      place.sim.world.completeJob(job.id)
      await place.recordJob(name)
      await place.patchStatus(name, { workflowRunId: job.run })
    }
    place.clock.aheadMs += 3_600_000
  },
  handoff: async ({ place }) => {
    place.sim.world.queueJob({ repository: REPOSITORY, labels: ['linux-x64'] })
  },
  excess: async ({ cluster, place: { recorded }, namespace }) => {
    const path = `${ARC}/namespaces/${namespace}/ephemeralrunnersets/${recorded.runnerSets[0]?.metadata.name ?? ''}`
    await cluster.callOk({ method: 'PATCH', path, contentType: MERGE, body: { spec: { replicas: 0 } } })
  },
  'stale-generation': async ({ cluster, place: { recorded }, namespace }) => {
    const [old] = recorded.runnerSets
    if (old === undefined) throw new Error('the recording has no EphemeralRunnerSet')
    const { labels, annotations } = old.metadata
    // The API server counts seconds, and of two sets of the same age none is the newer one.
    const path = `${ARC}/namespaces/${namespace}/ephemeralrunnersets/${old.metadata.name}`
    const since = Date.parse(textAt(await cluster.callOk({ path }), 'metadata', 'creationTimestamp') ?? '')
    await until({
      what: 'the next second',
      timeoutMs: 60_000,
      probe: async () => (Date.now() >= since + 1000 ? true : undefined),
    })
    const { status: _status, ...rest } = old
    const body = { ...rest, metadata: { name: 'linux-x64-newer', namespace, labels, annotations } }
    await cluster.callOk({ method: 'POST', path: `${ARC}/namespaces/${namespace}/ephemeralrunnersets`, body })
  },
}
