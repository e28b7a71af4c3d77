import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { adviseOnStop, findStopActor, howStopped, weighRequests, whatStopped } from '#/core/why/weighing/stop-actor.ts'
import {
  forcedRemovals,
  loggedStopSigns,
  limitedByLife,
  limitedByWork,
  refutedByOtherEnds,
  sigkills,
  wasOomKilled,
} from '#/core/why/weighing/shared-facts.ts'
import { whileWorking } from '#/core/why/wording.ts'

export const drainWithoutTrap: Cause = {
  id: 'drain-without-trap',
  kind: 'death',
  meaning: 'the same as graceful-shutdown, but the runner ignored SIGTERM and was killed when the grace period ended',
  distinguishedBy:
    'Exit code 137 with reason Error, one grace period after the request, and no shutdown line in the log.',
  settledBy: ['kubernetes/audit', 'journal', 'kubernetes/pods', 'kubernetes/events', 'logs'],
  weigh: (d) => {
    const { requests: askers, killed, stops, obeyed } = d.stopping
    const kills = sigkills(d)
    const memory = [
      ...d.memory.kills.filter(({ isRunner }) => isRunner).map(({ fact }) => fact),
      ...(killed.length === 0 ? wasOomKilled(d) : []),
    ]
    return [
      ...weighRequests(d),
      ...supports(0.75, killed),
      ...supports(WEIGHT.medium, kills),
      ...supports(0.4, stops),
      ...contradicts(forcedRemovals(d).map(({ fact }) => fact)),
      ...contradicts(loggedStopSigns(d)),
      ...contradicts(obeyed),
      ...contradicts(memory),
      ...contradicts(d.nodeState.gone.filter(({ is }) => is === 'garbage-collected')),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedByLife(d),
      ...limitedWhile(askers.length === 0, 'no request to end it was found', {
        missing: ['kubernetes/audit', 'journal', 'kubernetes/events'],
      }),
      ...limitedWhile(kills.length === 0 && killed.length === 0, 'nothing shows that it was killed', {
        missing: ['kubernetes/pods', 'journal'],
      }),
      ...limitedWhile(killed.length === 0, 'nothing shows that the grace period had run out', {
        missing: ['journal'],
        at: 0.6,
      }),
      ...limitedWhile(
        !d.wasRead('logs') && killed.length === 0,
        'the log, which would show a received signal, is missing',
        { missing: ['logs'] },
      ),
    ]
  },
  actor: findStopActor,
  sentence: (d) =>
    `${whatStopped(d)} was stopped${howStopped(d)}${whileWorking(d)}; the runner ignored SIGTERM and was killed when its grace period${d.stopping.graceSeconds === null ? '' : ` of ${d.stopping.graceSeconds} s`} ended.`,
  next: (d) => [
    'Set RUNNER_MANUALLY_TRAP_SIG=1 in the runner container (the official image does): without it, run.sh as process 1 ignores SIGTERM.',
    adviseOnStop(d),
  ],
}
