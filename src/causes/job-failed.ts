import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { isJobPod, refusedJobPods } from '#/core/why/job-pod.ts'
import { refusedByAdmission } from '#/core/why/weighing/not-started.ts'
import { distrusted, inFailedSteps } from '#/core/why/failed-steps.ts'
import { endsBefore, otherStops, runsBeside } from '#/core/why/dead-container.ts'
import { knownRunnerContainer, terminatedState } from '#/core/kubernetes/runner-container.ts'
import {
  anyEviction,
  brokenDisk,
  concluded,
  crashedWorkers,
  deadline,
  forcedRemovals,
  hasSucceeded,
  loggedStopSigns,
  wasOomKilled,
} from '#/core/why/weighing/shared-facts.ts'
import { theJob, clueField, upper } from '#/core/why/wording.ts'

/** Codes that come from a signal, not from the step itself: they belong to another cause. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['0', '130', '137', '143'])

function ownExits(d: Dossier): readonly Fact[] {
  return d.subjectClues('step-exited').filter(({ fields: { code = '0' } }) => {
    if (ownKills(d).length > 0 && code !== '0') return true
    return !FROM_OUTSIDE.has(code)
  })
}

/** The step's own script killed it, and no memory ran out: a signal then comes from inside the step. */
function ownKills(d: Dossier): readonly Fact[] {
  const isMemory = [...d.memory.kills, ...d.memory.counted, ...d.memory.taskOom, ...wasOomKilled(d)].length > 0
  return isMemory ? [] : inFailedSteps(d, d.subjectClues('own-kill'))
}

/** A step that was killed, by whomever, says nothing of who did it: a counter or the kernel's log must show that it was not memory. */
function isUnseenKill(d: Dossier): boolean {
  const isKilled = d.subjectClues('step-exited').some(({ fields }) => fields['code'] === '137')
  return isKilled && ownKills(d).length > 0 && d.cgroups.length === 0 && !d.wasLooking('journal')
}

/** A step that fails for one of these reasons has its own cause. */
function namedReasons(d: Dossier): readonly Fact[] {
  return [
    ...d.subjectClues(
      'work-folder-denied',
      'work-folder-invalid',
      'no-space-left',
      'host-files-exhausted',
      'process-files-exhausted',
      'fork-failed',
      'fork-rejected',
      'lock-lost',
      'step-timed-out',
      'job-time-limit',
    ),
    ...distrusted(d),
    ...refusedJobPods(d),
    ...(isJobPod(d) ? refusedByAdmission(d) : []),
    ...(ownKills(d).length > 0 ? [] : d.subjectClues('step-killed')),
    ...d.memory.kills.map(({ fact }) => fact),
    ...d.memory.counted,
    ...wasOomKilled(d),
    ...crashedWorkers(d),
    ...brokenDisk(d),
    ...(d.ending.isOther ? d.ending.facts : []),
  ]
}

/** A daemon beside the runner that ended first, or that was stopped, may have failed the step. */
function mayBeOthers(d: Dossier): boolean {
  const hints = [...d.memory.elsewhere, ...d.subjectClues('docker-daemon-gone'), ...stoppedEarlier(d)]
  if (!d.wasRead('kubernetes/pods')) return hints.length > 0
  const runner = d.pod === null ? null : knownRunnerContainer(d.pod)
  const beside = (d.pod?.containers ?? []).filter((other) => other !== runner && runsBeside(other))
  const first = beside.filter((other) => endsBefore(other, runner === null ? null : terminatedState(runner)).length > 0)
  return first.some(({ restarts, isSidecar }) => restarts > 0 || isSidecar) || (first.length > 0 && hints.length > 0)
}

function stoppedEarlier(d: Dossier): readonly Fact[] {
  const overAt = d.working.result?.at ?? d.working.github.failedStep?.at ?? null
  return otherStops(d).filter(({ at }) => at !== null && overAt !== null && at < overAt - BLUR_MS)
}

/** A command in another pod that ended by a signal, or that could not be run there, did not fail by itself. */
function mayBeJobPods(d: Dossier): boolean {
  const failed = d.subjectClues('job-pod-failed')
  return ownKills(d).length === 0 && failed.some(({ fields: { code } }) => code === undefined || FROM_OUTSIDE.has(code))
}

const BLUR_MS = 2000

export const jobFailed: Cause = {
  id: 'job-failed',
  kind: 'not-a-death',
  meaning: 'a step failed by itself; the runner was healthy',
  distinguishedBy:
    "The job log has the step's own exit code, and nothing killed it. A build tool that reaches its own heap limit counts here: that limit is not the container's.",
  settledBy: ['github/logs', 'github/jobs', 'logs', 'kubernetes/pods', 'journal'],
  weigh: (d) => {
    const reasons = [...ownExits(d), ...d.subjectClues('heap-exhausted')]
    const couldSeeMemory = d.wasRead('kubernetes/pods') || d.wasLooking('journal')
    return [
      ...supports(0.85, d.subjectClues('heap-exhausted')),
      ...supports(0.75, ownExits(d)),
      ...supports(WEIGHT.medium, d.working.result?.fields['result'] === 'Failed' ? d.working.result : null),
      ...supports(WEIGHT.medium, d.working.github.failedStep),
      ...contradicts(namedReasons(d)),
      ...contradicts(loggedStopSigns(d)),
      ...contradicts(d.subjectClues('cancellation-received')),
      ...contradicts(d.working.github.lost),
      ...contradicts(concluded(d, 'success', 'cancelled', 'timed_out')),
      ...contradicts(hasSucceeded(d)),
      ...contradicts([...anyEviction(d), ...deadline(d), ...forcedRemovals(d).map(({ fact }) => fact)]),
      ...limitedWhile(mayBeOthers(d), 'another container of the pod may have died first', {
        missing: ['kubernetes/pods', 'kubernetes/events', 'journal'],
      }),
      ...limitedWhile(
        d.subjectClues('disk-refused').length > 0 && !d.wasLooking('journal'),
        'a disk refused a write, and no kernel log covers the time',
        { missing: ['journal'] },
      ),
      ...limitedWhile(mayBeJobPods(d), 'its steps ran in a pod of their own, which may have died', {
        missing: ['kubernetes/pods', 'kubernetes/events'],
      }),
      ...limitedWhile(reasons.length === 0, 'why the step failed is not known', { missing: ['github/logs'] }),
      ...limitedWhile(isUnseenKill(d), 'no source shows whether memory ran out', { missing: ['journal', 'cgroup'] }),
      ...limitedWhile(!couldSeeMemory, 'no source shows whether memory ran out', {
        missing: ['kubernetes/pods', 'journal'],
      }),
      ...limitedWhile(
        d.working.github.failedStep === null && d.working.result === null,
        'it is not known whether the job ended by itself',
        { missing: ['github/jobs', 'logs'] },
      ),
    ]
  },
  sentence: (d) => {
    if (d.subjectClues('heap-exhausted').length > 0)
      return `${upper(theJob(d))} failed by itself: a build tool reached its own memory limit, not the container's.`
    const code = ownExits(d).at(-1)?.fields['code']
    if (code !== undefined && FROM_OUTSIDE.has(code))
      return `${upper(theJob(d))} failed by itself: its own script killed a step (exit code ${code}), and memory did not run out.`
    return `${upper(theJob(d))} failed by itself${code === undefined ? '' : `: a step ended with exit code ${code}`}; the runner was healthy.`
  },
  next: (d) =>
    d.subjectClues('heap-exhausted').length > 0
      ? [
          'Raise the heap limit of the tool (NODE_OPTIONS=--max-old-space-size, -Xmx) within the container limit, or give the job a larger runner.',
        ]
      : [
          `Read the log of ${clueField(d, 'step-exited', 'code') === null ? 'the failed step' : 'the step that ended with that code'}: this is for the owner of the workflow, not of the runners.`,
        ],
}
