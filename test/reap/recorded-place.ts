import { textAt, toFields } from '#/core/basics/fields.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { createRecordedSet, recordedSet } from '#test/cluster/recorded-arc.ts'
import type { RecordedSet, Uids } from '#test/cluster/recorded-arc.ts'
import { REPOSITORY, SkippingClock, register } from './simulated-fleet.ts'

export const ARC = '/apis/actions.github.com/v1alpha1'
const RECORDED_URL = 'https://github.com/example-org'
const MERGE = 'application/merge-patch+json'

export type Place = AsyncDisposable & {
  readonly sim: SimGitHub
  readonly clock: SkippingClock
  readonly env: Readonly<Record<string, string>>
  readonly kubeconfig: string
  readonly recorded: RecordedSet
  readonly uids: Uids
  readonly ids: ReadonlyMap<string, number>
  readonly names: readonly string[]
  /** Before GitHub answers, with the number of the call. */
  before: (call: number, request: Request) => Promise<void>
  calls: number
  readonly isLeaving: (name: string) => Promise<boolean>
  /** Merges into the status of a runner, as ARC writes it. */
  readonly patchStatus: (name: string, status: object) => Promise<void>
  /** As ARC's listener records a job. */
  readonly recordJob: (name: string) => Promise<void>
}

export type Wish = { readonly recording: string; readonly of: string; readonly namespace: string }

/** A recorded set on a real API server, without pods, and its runners at the simulated GitHub. */
export async function settle(cluster: ApiServer, { recording, of, namespace }: Wish): Promise<Place> {
  const clock = new SkippingClock()
  // The objects are made now, and no gate has to wait for their age.
  clock.aheadMs = 3_600_000
  const sim = createSimGitHub({ clock })
  sim.world.addOrganization('acme')
  sim.world.addRepository(REPOSITORY)
  sim.install('acme')
  const served = await serveGitHub(async (request) => {
    place.calls += 1
    await place.before(place.calls, request)
    return await sim.fetch(request)
  })
  const ids = new Map<string, number>()
  await cluster.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } })
  await cluster.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'arc-systems' } } })
  const recorded = await recordedSet({
    recording,
    of,
    namespace,
    changes: [[RECORDED_URL, `${served.url}/${REPOSITORY}`]],
  })
  const runners = recorded.runners.map((runner) => Object.assign({}, runner, register(toFields(runner), { sim, ids })))
  const uids = await createRecordedSet(cluster, { ...recorded, runners })
  const path = (name: string): string => `${ARC}/namespaces/${namespace}/ephemeralrunners/${name}`
  const patchStatus = async (name: string, status: object): Promise<void> => {
    await cluster.callOk({ method: 'PATCH', path: `${path(name)}/status`, contentType: MERGE, body: { status } })
  }
  const place: Place = {
    sim,
    clock,
    env: { SIGNALBOX_GITHUB_TOKEN: sim.personalToken('acme'), SIGNALBOX_GITHUB_BASE_URL: served.url },
    kubeconfig: cluster.kubeconfig,
    recorded,
    uids,
    ids,
    names: runners.map(({ metadata }) => metadata.name),
    before: async () => undefined,
    calls: 0,
    isLeaving: async (name) =>
      textAt(await cluster.callOk({ path: path(name) }), 'metadata', 'deletionTimestamp') !== null,
    patchStatus,
    recordJob: (name) => patchStatus(name, { jobId: '77', jobDisplayName: 'build', jobRepositoryName: REPOSITORY }),
    [Symbol.asyncDispose]: async () => {
      await served.stop()
      for (const kind of ['ephemeralrunners', 'autoscalinglisteners', 'ephemeralrunnersets', 'autoscalingrunnersets']) {
        await clear(cluster, kind)
      }
    },
  }
  return place
}

/** No controller removes the finalizers of ARC here. */
export async function clear(cluster: ApiServer, kind: string): Promise<void> {
  const list = toFields(await cluster.callOk({ path: `${ARC}/${kind}` }))
  for (const object of list['items'] as readonly object[]) {
    const path = `${ARC}/namespaces/${textAt(object, 'metadata', 'namespace') ?? ''}/${kind}/${textAt(object, 'metadata', 'name') ?? ''}`
    await cluster.call({ method: 'PATCH', path, contentType: MERGE, body: { metadata: { finalizers: null } } })
    await cluster.call({ method: 'DELETE', path })
  }
}
