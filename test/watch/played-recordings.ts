import { setTimeout as sleep } from 'node:timers/promises'
import { shimKilled } from '#test/bundles/record/deaths/crashes.ts'
import { gracefulPreemption } from '#test/bundles/record/deaths/ended-by-others.ts'
import { deadlineExceeded, endsByShutdown, evictedOwnLimit } from '#test/bundles/record/deaths/limits.ts'
import { oomContainer, oomStep } from '#test/bundles/record/deaths/memory.ts'
import { badCommand, imagePull, quotaExceeded, unschedulable } from '#test/bundles/record/deaths/never-started.ts'
import { nodeSilent } from '#test/bundles/record/deaths/node.ts'
import { LONG_WORK } from '#test/bundles/record/runner-script.ts'
import type { RunnerPlay } from '#test/bundles/record/runner-script.ts'
import type { CollectOrder, Recording, Setup } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, kubectlAs, startWorking, untilGone } from '#test/bundles/record/setup.ts'
import { callApi } from '#test/cluster/api-client.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { podPath } from '#test/cluster/pods.ts'
import { untilAllowed } from '#test/collect/observer.ts'

export { nodeSilent }

/** A clean-up job that deletes pods with its own service account. */
const JANITOR = { namespace: 'ops', name: 'runner-janitor' }
export const JANITOR_ACCOUNT = `system:serviceaccount:${JANITOR.namespace}:${JANITOR.name}`

const working = (setup: Setup, trapsTerm: boolean): RunnerPlay => ({
  job: setup.recording.job,
  wrapper: 'helper',
  trapsTerm,
  listener: LONG_WORK,
})

const drained: Recording = {
  name: 'drain',
  runner: { namespace: 'ci-drain', name: 'ads-4x8-n8qcd-runner-w3k7v' },
  repository: 'bidder',
  job: 'benchmarks',
  step: 'make bench',
  expected: {
    cause: 'graceful-shutdown',
    acceptable: [],
    mustNotBe: ['force-deleted', 'drain-without-trap'],
    actor: 'arjen.k',
    maxConfidence: null,
    why: 'arjen.k@acme.example asked for its eviction, as a drain does; the runner trapped SIGTERM.',
  },
  perform: async (setup) => {
    await startWorking(setup, { play: working(setup, true) })
    const { namespace, name } = setup.recording.runner
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } }
    await callAs(setup.cluster, setup.cluster.findToken('arjen.k@acme.example'), {
      method: 'POST',
      path: `${podPath(setup.recording.runner)}/eviction`,
      body,
    })
    await untilGone(setup)
    endsByShutdown(setup.github)
    return { subject: 'pod' }
  },
}

const ignoredTerm: Recording = {
  name: 'ignored-sigterm',
  runner: { namespace: 'ci-stubborn', name: 'stubborn-4x8-p2xkd-runner-c7w3v' },
  repository: 'bidder',
  job: 'load test',
  step: 'make load',
  expected: {
    cause: 'drain-without-trap',
    acceptable: [],
    mustNotBe: ['force-deleted', 'graceful-shutdown', 'killed-in-container', 'oom-container'],
    actor: 'jane.doe',
    maxConfidence: null,
    why: 'jane.doe@acme.example deleted it in the ordinary way; it ignored SIGTERM and was killed after its grace of 8 s.',
  },
  perform: async (setup) => {
    const { namespace, name } = setup.recording.runner
    await startWorking(setup, { play: working(setup, false), spec: { terminationGracePeriodSeconds: 8 } })
    await kubectlAs(setup.cluster, 'jane.doe@acme.example', ['delete', 'pod', '-n', namespace, name])
    setup.github.fallsSilent()
    await untilGone(setup)
    return { subject: 'pod' }
  },
}

const forcedOff = async (setup: Setup): Promise<CollectOrder> => {
  await startWorking(setup, { play: working(setup, false) })
  const path = `${podPath(setup.recording.runner)}?gracePeriodSeconds=0`
  await callAs(setup.cluster, await janitorToken(setup.cluster), { method: 'DELETE', path })
  setup.github.fallsSilent()
  await untilGone(setup)
  await sleep(SETTLE_MS)
  return { subject: 'pod' }
}

const forceDeleted: Recording = {
  name: 'force-delete-audited',
  runner: { namespace: 'ci-search', name: 'search-8x16-c4p9t-runner-m2d7h' },
  repository: 'indexer',
  job: 'reindex',
  step: 'cargo run --release --bin reindex',
  expected: {
    cause: 'force-deleted',
    acceptable: [],
    mustNotBe: ['graceful-shutdown', 'drain-without-trap', 'node-lost', 'killed-in-container'],
    actor: JANITOR_ACCOUNT,
    maxConfidence: null,
    why: 'A service account deleted the pod with gracePeriodSeconds 0 while the job ran; the audit log has it.',
  },
  perform: forcedOff,
}

/** Watched by a `serve` that has no audit log. */
export const unaudited: Recording = {
  ...forceDeleted,
  name: 'force-delete-unaudited',
  runner: { namespace: 'ci-dark', name: 'dark-8x16-c4p9t-runner-z5d2k' },
  expected: {
    ...forceDeleted.expected,
    acceptable: ['unknown'],
    actor: null,
    why: 'The same without an audit log: who did it cannot be known.',
  },
}

export const RECORDINGS: readonly Recording[] = [
  oomContainer,
  oomStep,
  evictedOwnLimit,
  deadlineExceeded,
  drained,
  ignoredTerm,
  forceDeleted,
  gracefulPreemption,
  shimKilled,
  imagePull,
  unschedulable,
  badCommand,
  quotaExceeded,
]

type Call = Parameters<typeof callApi>[1]

async function callAs({ url, certificateAuthority }: NodeCluster, token: string, call: Call): Promise<string> {
  const answer = await callApi({ url, token, certificateAuthority }, call)
  if (answer.status < 300) return answer.text
  throw new Error(`${call.path} got ${answer.status}: ${answer.text}`)
}

/** The account may only delete pods. */
export async function createJanitor(cluster: NodeCluster): Promise<void> {
  const { callOk } = cluster
  const { namespace, name } = JANITOR
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  await callOk({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { metadata: { name } },
  })
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['delete'] }]
  await callOk({ method: 'POST', path: `${rbac}/clusterroles`, body: { metadata: { name }, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
  const subjects = [{ kind: 'ServiceAccount', namespace, name }]
  await callOk({ method: 'POST', path: `${rbac}/clusterrolebindings`, body: { metadata: { name }, roleRef, subjects } })
  await untilAllowed(cluster, JANITOR, { grant: { group: '', resource: 'pods', verb: 'delete' } })
}

async function janitorToken({ callOk }: NodeCluster): Promise<string> {
  const { namespace, name } = JANITOR
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const { status } = (await callOk({ method: 'POST', path, body: { spec: {} } })) as { status: { token: string } }
  return status.token
}
