import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import {
  anyEviction,
  concluded,
  deadline,
  forcedRemovals,
  hasSucceeded,
  loggedStopSigns,
  wasOomKilled,
} from '#/core/why/shared-facts.ts'
import { theJob, clueField, upper } from '#/core/why/wording.ts'

/** Codes that come from a signal, not from the step itself: they belong to another cause. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['0', '130', '137', '143'])

function ownExits(d: Dossier): readonly Fact[] {
  return d.subjectClues('step-exited').filter(({ fields }) => !FROM_OUTSIDE.has(fields['code'] ?? '0'))
}

/** A step that fails for one of these reasons has its own cause. */
function namedReasons(d: Dossier): readonly Fact[] {
  return [
    ...d.subjectClues(
      'certificate-not-trusted',
      'work-folder-denied',
      'work-folder-invalid',
      'no-space-left',
      'host-files-exhausted',
      'process-files-exhausted',
      'fork-failed',
      'fork-rejected',
      'step-killed',
      'lock-lost',
      'step-timed-out',
      'job-time-limit',
    ),
    ...d.memory.kills.map(({ fact }) => fact),
    ...d.memory.counted,
    ...wasOomKilled(d),
  ]
}

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
      ...limitedWhile(
        !d.wasRead('kubernetes/pods') && [...d.memory.elsewhere, ...d.subjectClues('docker-daemon-gone')].length > 0,
        'another container of the pod may have died first',
        { missing: ['kubernetes/pods'] },
      ),
      ...limitedWhile(reasons.length === 0, 'why the step failed is not known', { missing: ['github/logs'] }),
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
