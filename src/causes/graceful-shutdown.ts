import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { adviseOnStop, findStopActor, howStopped, weighRequests, whatStopped } from '#/core/why/weighing/stop-actor.ts'
import {
  forcedRemovals,
  loggedStopSigns,
  limitedByLife,
  limitedByWork,
  refutedByOtherEnds,
} from '#/core/why/weighing/shared-facts.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { whileWorking } from '#/core/why/wording.ts'

export const gracefulShutdown: Cause = {
  id: 'graceful-shutdown',
  kind: 'death',
  meaning:
    'someone ended the pod in the ordinary way while it worked: drain, scale-down, preemption, spot notice, a person',
  distinguishedBy:
    'A request came before the end and the runner received the signal: exit code 143 or 130, or a shutdown line in its log. Deadlines and evictions look the same in the log; the pod has their reason.',
  settledBy: ['kubernetes/audit', 'journal', 'kubernetes/events', 'kubernetes/pods', 'logs'],
  weigh: (d) => {
    const { requests: askers, stopSigns: heard, killed, stops } = d.stopping
    const obeyed = d.stopping.obeyed.filter(({ fields }) => fields['code'] === '0')
    return [
      ...weighRequests(d),
      ...supports(0.7, loggedStopSigns(d)),
      ...supports(WEIGHT.medium, heard),
      ...supports(0.4, stops),
      ...supports(0.4, obeyed),
      ...contradicts(forcedRemovals(d).map(({ fact }) => fact)),
      ...contradicts(loggedStopSigns(d).length === 0 ? killed : []),
      ...contradicts(d.nodeState.gone.filter(({ is }) => is === 'garbage-collected')),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedByLife(d),
      ...limitedWhile(askers.length === 0, 'no request to end it was found', {
        missing: ['kubernetes/audit', 'journal', 'kubernetes/events'],
      }),
      ...limitedWhile(heard.length + obeyed.length === 0, 'nothing shows that the runner received a signal', {
        missing: ['logs', 'kubernetes/pods'],
      }),
      ...limitedWhile(heard.length === 0, 'it may have finished its work at that moment', {
        missing: ['logs', 'github/jobs'],
        at: 0.7,
      }),
    ]
  },
  actor: findStopActor,
  sentence: (d) => `${whatStopped(d)} was stopped${howStopped(d)}${whileWorking(d)}; ${howItEnded(d)}.`,
  next: (d) => [adviseOnStop(d), ...adviseRerun(d)],
}

/** A runner that says it stops has not ignored the signal, even if the grace period was too short for it. */
function howItEnded(d: Dossier): string {
  if (d.ending.isOther) return 'the job failed without it'
  const who = d.kind === 'runner' ? 'the runner' : 'it'
  if (d.stopping.killed.length > 0)
    return `${who} received the signal, did not finish in time and was killed when its grace period ended`
  return `${who} received the signal and exited`
}

function adviseRerun(d: Dossier): readonly string[] {
  if (d.kind !== 'runner') return []
  const rerun = d.working.had.length > 0 || d.subject.jobId !== null ? 'Rerun the job' : 'If it had a job, rerun it'
  return [
    d.ending.isOther ? `${rerun}.` : `${rerun}. A grace period as long as the longest job would have let it finish.`,
  ]
}
