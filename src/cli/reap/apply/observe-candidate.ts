import { askedFleet } from '#/cli/audit/asked-fleet.ts'
import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import { withProcesses } from '#/cli/collect/runner-processes.ts'
import { REAP_READS } from '#/cli/reap/plan/reads.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind, none } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import type { ArcObject } from '#/core/fleet/scale-set.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { CandidateSnapshot, GateTerms } from '#/core/interlock/candidate-snapshot.ts'
import { candidateReader } from '#/core/interlock/read-candidate.ts'
import { judgePremise } from '#/core/interlock/premise.ts'
import { readAt } from '#/core/interlock/reading.ts'
import { subjectKey } from '#/core/ledger/ledger-row.ts'
import type { ActCandidate, CandidateNow, ObserveCandidate, ProposedRunner, RunnerNow } from '#/ports/act-candidate.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { findRegistration } from '#/runtime/collect/fleet/fleet-registrations.ts'
import { findOutgrown } from './outgrown.ts'
import type { GitHubMemory } from './github-memory.ts'
import type { Order } from './to-candidate.ts'

export type ObserveMeans = {
  readonly context: AskedContext
  readonly kubernetes: Pick<Kubernetes, 'get'>
  readonly githubUrl: string
  readonly minAgeMs: number
  readonly memory: GitHubMemory
  readonly orders: readonly Order[]
}

/**
 * Reads the fleet again, now: whole lists, because absence is a proof only in a whole list, and the logs and processes of the
 * candidate's own runners.
 */
export function observeLive(means: ObserveMeans): ObserveCandidate {
  return async (candidate, signal) => {
    const runners = new Set(candidate.runners.map(({ namespace, name }) => `${namespace}/${name}`))
    const { fleet } = await askedFleet({ ...means.context, signal }, [REAP_READS], runners)
    const listed = buildRuntimeView(fleet, { scaleSets: [], labels: [] })
    const own = listed.runners.filter(({ runner }) => runners.has(`${runner.namespace}/${runner.name}`))
    const seenNow = await withProcesses({ ...means.context, signal }, listed, own)
    const view = { ...seenNow, readyRunners: means.memory.countReady(seenNow) }
    const order = means.orders.find((one) => isOrderFor(one, candidate)) ?? null
    const now: CandidateNow = {
      runners: await Promise.all(
        candidate.runners.map((runner) => observeRunner(runner, { candidate, order, view, means, signal })),
      ),
      premise: order === null ? UNKNOWN_PREMISE : judgePremise(view, order.policy, candidate),
      scales: findScales(candidate, order, view),
    }
    return means.memory.checkAgainstBefore(now, view)
  }
}

const UNKNOWN_PREMISE = blind('not-asked', 'which policy proposed it is not known')

/** After a crash the candidate may be a part of what was ordered. */
function isOrderFor(order: Order, { act, origin, subject }: ActCandidate): boolean {
  const own = order.candidate
  const isSamePolicy = 'policy' in origin && order.policy.id === origin.policy
  return isSamePolicy && own.act === act && subjectKey(own.subject) === subjectKey(subject)
}

type Looking = {
  readonly candidate: ActCandidate
  readonly order: Order | null
  readonly view: RuntimeView
  readonly means: ObserveMeans
  readonly signal: AbortSignal
}

async function observeRunner(proposed: ProposedRunner, looking: Looking): Promise<RunnerNow> {
  const { candidate, order, view, means, signal } = looking
  const { namespace, name, identity } = proposed
  const state = view.runners.find(({ runner }) => runner.namespace === namespace && runner.name === name)
  const terms: GateTerms = {
    github: order?.policy.github ?? 'gone',
    minAgeMs: means.minAgeMs,
    freshMs: view.fleet.thresholds.githubFileAge,
  }
  if (state === undefined) {
    const object = await findAbsent(proposed, { view, means, signal })
    return { snapshot: absentSnapshot(proposed, { view, terms, object }), target: null, registration: null }
  }
  const read = candidateReader(view)(state, terms)
  const outgrown = findOutgrown(candidate, view)
  const object =
    outgrown === null || read.object.observed.kind !== 'seen'
      ? read.object
      : readAt(read.object.at, { kind: 'seen' as const, value: { ...read.object.observed.value, outgrown } })
  return {
    snapshot: { ...read, proposed: identity, object },
    target: toTarget('EphemeralRunner', state.runner),
    registration: findRegistration([state.runner.raw, ...listSet(view, state.setKey)], means.githubUrl),
  }
}

function listSet({ sets }: RuntimeView, setKey: string): readonly object[] {
  const own = sets.find(({ key }) => key === setKey)
  return own === undefined ? [] : [own.set.raw]
}

type Absent = Observed<never>

/** Not in the list: gone only if the list was complete, and the server says the same of the object itself. */
async function findAbsent(
  { namespace, name }: ProposedRunner,
  { view, means, signal }: Pick<Looking, 'view' | 'means' | 'signal'>,
): Promise<Absent> {
  const list = findSource(view.fleet.snapshot, 'kubernetes/ephemeralrunners')
  if (list.kind === 'blind') return list
  const object = await means.kubernetes.get({ resource: RESOURCES.ephemeralRunners, namespace, name }, signal)
  if (object.kind === 'none') return none()
  return object.kind === 'blind' ? object : blind('truncated', 'the list does not have it, and the API server does')
}

/** Of one that is gone nothing more is known, and nothing more is needed. */
function absentSnapshot(
  { namespace, name, identity }: ProposedRunner,
  { view, terms, object }: { readonly view: RuntimeView; readonly terms: GateTerms; readonly object: Absent },
): CandidateSnapshot {
  const { now } = view.fleet
  const unread = readAt<never>(now, blind('not-asked', 'the runner is not in the list'))
  return {
    subject: { kind: 'EphemeralRunner', namespace, name },
    now,
    terms,
    proposed: identity,
    object: readAt(now, object),
    record: unread,
    github: unread,
    githubJob: unread,
    deregistration: unread,
    pod: unread,
    processes: unread,
    log: unread,
    vitals: unread,
    createdAt: unread,
    listener: unread,
    lists: [],
    room: unread,
    evidence: unread,
  }
}

/** Only those that were proposed: a newer one is of the next generation, and belongs to its runners. */
function findScales({ act, scaleSet }: ActCandidate, order: Order | null, view: RuntimeView): CandidateNow['scales'] {
  if (act !== 'scale-ephemeral-runner-set') return []
  const list = findSource(view.fleet.snapshot, 'kubernetes/ephemeralrunnersets')
  if (list.kind === 'blind') return list
  const names = new Set(order?.scales ?? [])
  const own = view.sets.find(({ key }) => key === scaleSet)?.runnerSets ?? []
  return own.flatMap((one) =>
    names.has(one.name) && one.deletedAt === null ? (toTarget('EphemeralRunnerSet', one) ?? []) : [],
  )
}

function toTarget(
  kind: 'EphemeralRunner' | 'EphemeralRunnerSet',
  { namespace, name, uid, raw }: ArcObject,
): RunnerNow['target'] {
  const resourceVersion = textAt(raw, 'metadata', 'resourceVersion')
  return uid === null || resourceVersion === null ? null : { kind, namespace, name, uid, resourceVersion }
}
