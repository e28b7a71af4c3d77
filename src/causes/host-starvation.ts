import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { pressure, renewalGaps } from '#/core/why/exhaustion.ts'
import { concluded, refutedByStop, sigkills, workDone } from '#/core/why/shared-facts.ts'
import { theNode, thePod, upper, whileWorking } from '#/core/why/wording.ts'

const STALLS = ['soft-lockup', 'rcu-stall', 'task-hung', 'pleg-unhealthy'] as const

export const hostStarvation: Cause = {
  id: 'host-starvation',
  kind: 'death',
  meaning: 'the runner was starved of CPU or IO for so long that GitHub gave it up',
  distinguishedBy:
    'Lock renewals are late or missing, the network is fine, and the host shows stalls or pressure. The runner stays alive.',
  settledBy: ['logs', 'journal', 'cgroup'],
  weigh: (d) => {
    const gaps = renewalGaps(d)
    const stalls = d.nodeClues(...STALLS)
    const pressed = pressure(d)
    const isShown = gaps.length + pressed.length + d.subjectClues('worker-handover-timed-out').length > 0
    return [
      ...supports(0.6, gaps),
      ...supports(WEIGHT.medium, d.subjectClues('worker-handover-timed-out')),
      ...supports(0.55, stalls),
      ...supports(WEIGHT.medium, pressed),
      ...supports(0.3, isShown ? d.working.github.lost : []),
      ...contradicts(d.subjectClues('github-unreachable')),
      ...contradicts(sigkills(d)),
      ...contradicts(workDone(d)),
      ...contradicts(concluded(d, 'success', 'cancelled', 'timed_out')),
      ...refutedByStop(d),
      ...limitedWhile(!isShown, 'nothing shows that this runner was starved', { missing: ['logs', 'cgroup'] }),
      ...limitedWhile(stalls.length + pressed.length === 0, 'nothing shows that the host was short of CPU or IO', {
        missing: ['journal', 'cgroup'],
      }),
    ]
  },
  sentence: (d) =>
    `${upper(thePod(d))} was starved of CPU or IO on ${theNode(d)}${whileWorking(d)} until GitHub gave up on it.`,
  next: (d) => [
    `Check what else runs on ${theNode(d)}: set CPU requests that fit, keep IO-heavy lanes on other nodes, and watch PSI (vitals.sh: docs/evidence.md, "Vitals").`,
  ],
}
