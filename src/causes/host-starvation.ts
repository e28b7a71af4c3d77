import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause, Point } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { givenUpAt, hungRunner, nodePressed, outlived, pressure, renewalGaps, stalls } from '#/core/why/starvation.ts'
import { concluded, refutedByStop, sigkills, workDone } from '#/core/why/weighing/shared-facts.ts'
import { theNode, thePod, upper, whileWorking } from '#/core/why/wording.ts'

const SEVERAL = 2

/** What stopped it after GitHub had given it up did not make GitHub give it up. */
function stoppedBefore(d: Dossier): readonly Point[] {
  const at = givenUpAt(d) ?? Infinity
  return refutedByStop(d).filter((point) => point.kind !== 'against' || (point.fact.at ?? 0) <= at)
}

/** A runner that is starved misses its deadlines too: a timeout counts as the network only if nothing shows the runner itself starved. */
function failedNetwork(d: Dossier, isStarvedItself: boolean): readonly Fact[] {
  return d
    .subjectClues('github-unreachable')
    .filter(({ text }) => !isStarvedItself || !/connect error: .*(?:timed out|task was cancell?ed)/i.test(text))
}

export const hostStarvation: Cause = {
  id: 'host-starvation',
  kind: 'death',
  meaning: 'the runner was starved of CPU or IO for so long that GitHub gave it up',
  distinguishedBy:
    'Lock renewals are late or missing, the network is fine, and the host shows stalls or pressure. The runner stays alive.',
  settledBy: ['logs', 'journal', 'cgroup'],
  weigh: (d) => {
    const gaps = renewalGaps(d)
    const stalled = stalls(d)
    const hung = hungRunner(d)
    const pressed = [...pressure(d), ...nodePressed(d)]
    const late = d.subjectClues('worker-handover-timed-out')
    const isOutlived = outlived(d).length > 0 && stalled.length >= SEVERAL
    const isShown = gaps.length + pressure(d).length + hung.length + late.length > 0 || isOutlived
    return [
      ...supports(0.6, gaps),
      ...supports(WEIGHT.medium, late),
      ...supports(0.55, stalled),
      ...supports(0.75, hung),
      ...supports(WEIGHT.medium, pressed),
      ...supports(0.4, isOutlived ? outlived(d) : []),
      ...supports(0.3, isShown ? d.working.github.lost : []),
      ...contradicts(failedNetwork(d, hung.length + late.length + pressure(d).length > 0)),
      ...contradicts(sigkills(d)),
      ...contradicts(workDone(d)),
      ...contradicts(concluded(d, 'success', 'cancelled', 'timed_out')),
      ...stoppedBefore(d),
      ...limitedWhile(!isShown, 'nothing shows that this runner was starved', { missing: ['logs', 'cgroup'] }),
      ...limitedWhile(stalled.length + pressed.length === 0, 'nothing shows that the host was short of CPU or IO', {
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
