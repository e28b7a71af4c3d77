import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded, crashedWorkers, loggedStopSigns, sigkills } from '#/core/why/weighing/shared-facts.ts'
import { theJob, thePod, upper } from '#/core/why/wording.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'

const GITHUB_NOTICES_MS = 60_000

/** GitHub closes a job within seconds of the runner's report. A job that is open a minute later was not reported. */
function stillOpen(d: Dossier): readonly Fact[] {
  const { inProgress } = d.working.github
  const endedAt = d.working.result?.at ?? d.ending.at
  return inProgress !== null && endedAt !== null && d.now - endedAt >= GITHUB_NOTICES_MS ? [inProgress] : []
}

function findWorkResult(d: Dossier): readonly Fact[] {
  const { result } = d.working
  return result !== null && /^(?:Succeeded|SucceededWithIssues|Failed)$/.test(result.fields['result'] ?? '')
    ? [result]
    : []
}

/** Without a log: the container ended by itself with 0 after GitHub had the end of every step. */
function leftCleanly(d: Dossier): readonly Fact[] {
  const { allSteps } = d.working.github
  if (allSteps === null || stillOpen(d).length === 0) return []
  const asked = d.stopping.stops.length + d.stopping.requests.length
  return asked > 0
    ? []
    : d.ending.facts.filter(({ fields }) => fields['code'] === '0' && fields['reason'] !== 'OOMKilled')
}

export const completionHandshakeLost: Cause = {
  id: 'completion-handshake-lost',
  kind: 'not-a-death',
  meaning: 'the job ended, the runner left cleanly, and GitHub did not learn of it',
  distinguishedBy:
    'The log has the job result and a clean exit, but GitHub reports lost communication or keeps the job open. Exit code 0 alone proves nothing: run-helper.sh turns other codes into 0.',
  settledBy: ['logs', 'github/jobs', 'github/annotations'],
  weigh: (d) => {
    const undelivered = d.subjectClues('completion-not-delivered')
    const unreported = [...d.working.github.lost, ...stillOpen(d)]
    const done = leftCleanly(d)
    return [
      ...supports(0.6, findWorkResult(d)),
      ...supports(0.8, undelivered),
      ...supports(WEIGHT.medium, d.working.left),
      ...supports(0.6, unreported),
      ...supports(0.7, done.length > 0 ? d.working.github.allSteps : null),
      ...supports(WEIGHT.medium, done.length > 0 ? d.subjectClues('arc-saw-success') : []),
      ...supports(
        0.3,
        d.ending.facts.filter(({ fields }) => fields['code'] === '0' && fields['reason'] !== 'OOMKilled'),
      ),
      ...contradicts(concluded(d, 'success', 'cancelled', 'timed_out')),
      ...contradicts(d.ending.folded),
      ...contradicts(sigkills(d)),
      ...contradicts(loggedStopSigns(d)),
      ...contradicts(d.subjectClues('no-space-left', 'job-failed-by-io', 'lock-lost')),
      ...contradicts(crashedWorkers(d)),
      ...limitedWhile(
        findWorkResult(d).length === 0 && undelivered.length === 0 && done.length === 0,
        "the runner's log line about the end of the job is missing",
        { missing: ['logs'] },
      ),
      ...limitedWhile(unreported.length === 0 && undelivered.length === 0, 'GitHub may have received the result', {
        missing: ['github/jobs', 'github/annotations'],
      }),
      ...limitedWhile(
        d.working.github.failedStep !== null &&
          d.working.github.completed !== null &&
          d.working.github.lost.length === 0,
        'GitHub shows a failed step',
        { at: 0.3 },
      ),
    ]
  },
  sentence: (d) =>
    `${upper(theJob(d))} ended (${d.working.result?.fields['result'] ?? 'every step was reported'}) and ${thePod(d)} exited cleanly, but GitHub never received the result.`,
  next: (d) => [
    `Rerun ${theJob(d)}: its work was done, but the result did not reach GitHub.`,
    ...(d.subjectClues('completion-not-delivered').length > 0
      ? [
          'The runner could not report the end of the job: check the network from the pod to GitHub, and the status of GitHub, for that minute.',
        ]
      : [
          'If it repeats with a clean log, it is a known race of one-time runners, whose long poll is dropped too early: update the runner.',
        ]),
  ],
}
