import { randomUUID } from 'node:crypto'
import { PROBE_CONTAINER, PROBE_LABEL, PROBE_SECONDS } from '#/audits/probe/probe-plan.ts'
import type { ProbePlan } from '#/audits/probe/probe-plan.ts'
import { readProbeLog } from '#/audits/probe/read-probe-log.ts'
import { at, toFields } from '#/core/basics/fields.ts'
import type { ProbeAnswer } from '#/core/fleet/probe-answer.ts'
import { readContainer, hasEnded, imageTrouble } from '#/core/kubernetes/pod-record.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { conditionAs, readPod } from '#/core/kubernetes/pod-facts.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

export type ProbeOptions = {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly progress: (line: string) => void
}

const ASK_EVERY_MS = 1_000
/** A little longer than the pod may run, so that the cluster ends it first. */
const PATIENCE_MS = (PROBE_SECONDS + 15) * 1_000
/** A pod that is stuck for this long cannot start. */
const STUCK_MS = 45_000

/** Creates the pod, reads its results and always deletes it. */
export async function runProbe(kubernetes: Kubernetes, plan: ProbePlan, options: ProbeOptions): Promise<ProbeAnswer> {
  const { namespace, sets } = plan
  const name = `signalbox-probe-${randomUUID().slice(0, 8)}`
  const without = (trouble: string): ProbeAnswer => ({
    sets,
    pod: name,
    trouble,
    targets: [],
    bundles: [],
    variables: [],
  })
  if (options.signal.aborted) return without('it was interrupted before it started')
  const pod = { namespace, name }
  let mayExist = true
  try {
    const created = await kubernetes.create(
      { resource: RESOURCES.pods, namespace, object: named(plan, name) },
      options.signal,
    )
    mayExist = created.kind === 'done' || (created.kind === 'blind' && created.applied === 'unknown')
    if (created.kind !== 'done') return without(`cannot create its pod: ${refusal(created)}`)
    const trouble = await untilEnded(kubernetes, pod, options)
    return trouble === null ? await readAnswer(kubernetes, { plan, name, without }, options) : without(trouble)
  } finally {
    if (mayExist) await deleteProbe(kubernetes, pod, options)
  }
}

function named({ pod }: ProbePlan, name: string): Readonly<Record<string, unknown>> {
  return { ...pod, metadata: { ...toFields(pod['metadata']), name } }
}

function refusal(outcome: Exclude<WriteOutcome, { kind: 'done' }>): string {
  switch (outcome.kind) {
    case 'blind':
      return outcome.reason.detail
    case 'gone':
      return 'its namespace does not exist'
    case 'conflict':
    case 'forbidden':
    case 'refused':
      return outcome.message
  }
}

type PodName = { readonly namespace: string; readonly name: string }

/** Null when the container has ended; else why there are no results. */
async function untilEnded(kubernetes: Kubernetes, pod: PodName, options: ProbeOptions): Promise<string | null> {
  const { clock, signal } = options
  const begun = clock.now()
  while (!signal.aborted) {
    const waited = clock.now() - begun
    const read = await kubernetes.get({ resource: RESOURCES.pods, ...pod }, signal)
    if (read.kind === 'none') return 'its pod was deleted'
    const state = read.kind === 'seen' ? readState(readPod(read.value)) : UNKNOWN_STATE
    if (state.hasEnded) return null
    if (state.stuckFor !== null && waited > STUCK_MS) return state.stuckFor
    if (waited > PATIENCE_MS) return read.kind === 'blind' ? read.reason.detail : 'it did not finish in time'
    await clock.sleep(ASK_EVERY_MS, signal)
  }
  return 'it was interrupted'
}

type ProbeState = { readonly hasEnded: boolean; readonly stuckFor: string | null }

const UNKNOWN_STATE: ProbeState = { hasEnded: false, stuckFor: null }

function readState(pod: PodFacts): ProbeState {
  // An injected sidecar may outlive it.
  const isOver = readContainer(pod, PROBE_CONTAINER)?.state.kind === 'terminated'
  const why = waitingFor(pod) ?? conditionAs(pod, 'PodScheduled', 'False')?.message ?? null
  return { hasEnded: isOver || hasEnded(pod), stuckFor: why === null ? null : `its pod cannot start: ${why}` }
}

function waitingFor(pod: PodFacts): string | null {
  const own = readContainer(pod, PROBE_CONTAINER)
  const isRefused = own?.state.kind === 'waiting' && own.state.reason?.startsWith('Create') === true
  const state = (isRefused ? own : imageTrouble(pod))?.state
  return state?.kind === 'waiting' ? `${state.reason}: ${state.message ?? ''}` : null
}

type ProbeRun = {
  readonly plan: ProbePlan
  readonly name: string
  readonly without: (trouble: string) => ProbeAnswer
}

const TAIL = { tailLines: 1_000, tailBytes: 256 * 1024 }

async function readAnswer(
  kubernetes: Kubernetes,
  { plan, name, without }: ProbeRun,
  { signal }: ProbeOptions,
): Promise<ProbeAnswer> {
  const { namespace, sets } = plan
  const log = await kubernetes.logTail({ namespace, pod: name, container: PROBE_CONTAINER, ...TAIL }, signal)
  if (log.kind === 'blind') return without(`cannot read its log: ${log.reason.detail}`)
  const results = log.kind === 'seen' ? readProbeLog(log.value.text) : null
  if (results !== null) return { sets, pod: name, trouble: null, ...results }
  return without('it ended before it was complete; its image may have no /bin/sh')
}

const TRIES = 5
const EACH_TRY_MS = 10_000

/** Uses its own signal, so that the pod is deleted after an interruption too. */
async function deleteProbe(kubernetes: Kubernetes, pod: PodName, { clock, progress }: ProbeOptions): Promise<void> {
  for (let left = TRIES; left > 0; left -= 1) {
    const signal = AbortSignal.timeout(EACH_TRY_MS)
    const read = await kubernetes.get({ resource: RESOURCES.pods, ...pod }, signal)
    if (read.kind === 'none' || (await isDeleted(kubernetes, { pod, read, signal }))) return
    await clock.sleep(ASK_EVERY_MS)
  }
  progress(
    `cannot delete pod ${pod.namespace}/${pod.name}; delete it with kubectl -n ${pod.namespace} delete pod ${pod.name}`,
  )
}

async function isDeleted(
  kubernetes: Kubernetes,
  { pod, read, signal }: { readonly pod: PodName; readonly read: Observed<KubeObject>; readonly signal: AbortSignal },
): Promise<boolean> {
  if (read.kind !== 'seen' || at(read.value, 'metadata', 'labels', PROBE_LABEL) !== 'true') return false
  const outcome = await kubernetes.delete(
    { resource: RESOURCES.pods, ...pod, preconditions: { uid: read.value.metadata.uid }, gracePeriodSeconds: 1 },
    signal,
  )
  return outcome.kind === 'done' || outcome.kind === 'gone'
}
