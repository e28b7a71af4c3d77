import type { BundleSubject } from '#/core/bundle-meta.ts'
import type { PodFacts } from '#/core/pod-facts.ts'
import { resolveSubject } from '#/core/subject.ts'
import type { Asked, Subject, Trace } from '#/core/subject.ts'
import type { Common } from '#/runtime/why/read-lists.ts'

/** What the command line names beats `meta.json`; with neither, every runner that ended. */
export function subjectsOf(argument: string | null, common: Common): readonly Subject[] {
  if (argument !== null) return namedBy(argument, common)
  const { subject } = common.bundle.meta
  const asked = askedOf(subject)
  if (asked.name === null && asked.jobId === null) return everyEnded(common)
  const known = { ...common, traces: [...common.traces, ...traceOfMeta(asked)] }
  const found = resolveSubject(asked, known) ?? onlyAsked(asked)
  return [{ ...found, runner: subject.runner ?? found.runner, node: found.node ?? subject.node ?? null }]
}

function askedOf({ namespace, pod, runner, jobId, uid }: BundleSubject): Asked {
  return { namespace: namespace ?? null, name: pod ?? runner ?? null, jobId: jobId ?? null, uid: uid ?? null }
}

/** The collector knew the pod, whatever its sources still say. */
function traceOfMeta({ namespace, name, uid }: Asked): readonly Trace[] {
  return name === null || namespace === null ? [] : [{ namespace, name, uid, node: null, at: null }]
}

function onlyAsked({ namespace, name, uid, jobId }: Asked): Subject {
  return {
    namespace,
    pod: name,
    uid,
    node: null,
    runner: null,
    jobId,
    runId: null,
    isJobAsked: jobId !== null,
    containerIds: [],
  }
}

function namedBy(argument: string, common: Common): readonly Subject[] {
  const run = /\/actions\/runs\/(?<run>\d+)(?:\/attempts\/\d+)?\/?(?:[?#].*)?$/.exec(argument)?.groups?.['run']
  const ids = run === undefined ? [null] : common.jobs.filter(({ runId }) => runId === Number(run)).map(({ id }) => id)
  const found = ids.map((jobId) =>
    resolveSubject({ namespace: null, name: run === undefined ? argument : null, jobId, uid: null }, common),
  )
  return found.filter((subject) => subject !== null)
}

function everyEnded(common: Common): readonly Subject[] {
  const ended = common.pods.filter((pod) => isRunner(pod, common) && hasEnded(pod))
  const subjects = ended.map(({ namespace, name, uid }) =>
    resolveSubject({ namespace, name, jobId: null, uid }, common),
  )
  return subjects.filter((subject) => subject !== null)
}

function isRunner({ name, labels, containers }: PodFacts, { jobs }: Common): boolean {
  if (
    Object.keys(labels).some(
      (label) => label.startsWith('actions.github.com/scale-set') || label.startsWith('actions-runner'),
    )
  ) {
    return !containers.some((container) => container.name === 'listener')
  }
  if (containers.some((container) => container.name === 'runner')) return true
  return jobs.some(({ runner }) => runner === name || (runner ?? '').startsWith(`${name}-`))
}

function hasEnded({ phase, deletedAt, lastSeenAt, containers }: PodFacts): boolean {
  if (phase === 'Failed' || phase === 'Succeeded' || deletedAt !== null || lastSeenAt !== null) return true
  return containers.some(({ state, last }) => state.kind === 'terminated' || last.kind === 'terminated')
}
