import type { BundleSubject } from '#/core/evidence/bundle-meta.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { textAt } from '#/core/basics/fields.ts'
import { isSameRun, readRecordedRun } from '#/core/evidence/subject-run.ts'
import type { Run } from '#/core/evidence/subject-run.ts'
import { parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import { resolveSubject } from '#/core/evidence/subject.ts'
import type { Asked, Subject, Trace } from '#/core/evidence/subject.ts'
import type { Common } from '#/runtime/why/read-lists.ts'

/** The command line beats `meta.json`; without both, every runner that ended. */
export function listSubjects(argument: string | null, common: Common): readonly Subject[] {
  if (argument !== null) return namedBy(argument, common)
  const { subject } = common.bundle.meta
  const asked = toAsked(subject)
  if (asked.name === null && asked.jobId === null) {
    return subject.runId === undefined ? everyEnded(common) : ofRun(numbered(subject.runId), common)
  }
  const known = { ...common, traces: [...common.traces, ...metaTrace(asked)] }
  const found = resolveSubject(asked, known) ?? onlyAsked(asked)
  const { runner, node, runId } = found
  return [
    {
      ...found,
      runner: subject.runner ?? runner,
      node: node ?? subject.node ?? null,
      runId: runId ?? subject.runId ?? null,
    },
  ]
}

function toAsked({ namespace, pod, runner, jobId, uid }: BundleSubject): Asked {
  return { namespace: namespace ?? null, name: pod ?? runner ?? null, jobId: jobId ?? null, uid: uid ?? null }
}

/** The collector knew the pod, even if no source has it any more. */
function metaTrace({ namespace, name, uid }: Asked): readonly Trace[] {
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
  const named = parseSubjectArgument(argument)
  if (named.kind === 'run') return ofRun(named, common)
  const asked = named.kind === 'job' ? { name: null, jobId: named.id } : { name: argument, jobId: null }
  const subject = resolveSubject({ namespace: null, uid: null, ...asked }, common)
  if (subject !== null) return [subject]
  // A bare number may be a job or a run.
  return named.kind === 'job' && named.repository === null ? ofRun(numbered(named.id), common) : []
}

function numbered(id: number): Run {
  return { site: null, repository: null, id }
}

/**
 * The jobs of the run at GitHub, and the runners that ARC's records attribute to it, nothing else. The records have no
 * attempts: if the question names one, only GitHub's jobs count.
 */
function ofRun(run: Run & { readonly attempt?: number | null }, common: Common): readonly Subject[] {
  const jobs = common.jobs.filter(({ runId }) => runId === run.id)
  const runners = new Set(jobs.map(({ runner }) => runner))
  const isAttemptKnown = (run.attempt ?? null) !== null && jobs.length > 0
  const records = (isAttemptKnown ? [] : common.ephemeralRunners).filter((record) => {
    const own = readRecordedRun(record)
    const { name } = record.metadata
    return own !== null && isSameRun(own, run) && !runners.has(textAt(record, 'status', 'runnerName') ?? name)
  })
  const asked = [
    ...jobs.map(({ id }) => ({ namespace: null, name: null, jobId: id, uid: null })),
    ...records.map((record) => ({
      namespace: textAt(record, 'metadata', 'namespace'),
      name: record.metadata.name,
      jobId: null,
      uid: null,
    })),
  ]
  return asked.flatMap((one) => {
    const subject = resolveSubject(one, common)
    return subject === null ? [] : [{ ...subject, runId: subject.runId ?? run.id }]
  })
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
