import { AUDIT_ADVICE, thePod, upper, whileWorking } from '#/core/why/wording.ts'
import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { forcedRemovals, limitedByLife, limitedByWork, refutedByOtherEnds } from '#/core/why/weighing/shared-facts.ts'

function findActor(d: Dossier): string | null {
  const named = forcedRemovals(d).find(({ by }) => by !== null)?.by ?? null
  return named ?? (d.subjectClues('orphan-reaped').length > 0 ? 'orphan-reaper' : null)
}

/** The kubelet gives a container two seconds once its pod object is gone, and the runtime logs them too. */
function shortStops({ stopping: { stops } }: Dossier): readonly Fact[] {
  return stops.filter(({ fields: { seconds } }) => seconds !== undefined && Number(seconds) <= SHORT_GRACE_S)
}

const SHORT_GRACE_S = 2

const WEIGHTS: Readonly<Record<string, number>> = { 'kubernetes/audit': 0.93, 'kubernetes/pods': 0.6 }
const BY_ORDER = 0.88

export const forceDeleted: Cause = {
  id: 'force-deleted',
  kind: 'death',
  meaning: 'the pod object was removed under a working runner',
  distinguishedBy:
    'The pod object was gone before the container ended: one delete in the audit log and none by the kubelet after it, or REMOVE before the end in the journal. A Killing event, and even shutdown lines of the runner, are normal here.',
  settledBy: ['kubernetes/audit', 'journal'],
  weigh: (d) => {
    const forced = forcedRemovals(d)
    const reaper = d.subjectClues('orphan-reaped')
    const isShort = (d.pod?.specGraceSeconds ?? 30) > SHORT_GRACE_S
    return [
      ...forced.flatMap(({ fact }) => supports(WEIGHTS[fact.source] ?? BY_ORDER, fact)),
      ...supports(0.85, reaper),
      ...supports(WEIGHT.medium, isShort && forced.length + reaper.length > 0 ? shortStops(d) : []),
      ...supports(
        0.3,
        forced.length + reaper.length > 0
          ? d.stopping.stops.filter(({ source }) => source === 'kubernetes/events')
          : [],
      ),
      ...contradicts(d.nodeState.gone.filter(({ is }) => is === 'garbage-collected')),
      ...contradicts(d.removals.filter(({ by }) => by === 'pod-garbage-collector').map(({ fact }) => fact)),
      ...contradicts(
        d.removals
          .filter(
            ({ manner, isAfterEnd, fact }) => manner === 'ordinary' && !isAfterEnd && fact.source !== 'kubernetes/pods',
          )
          .map(({ fact }) => fact),
      ),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedByLife(d),
      ...limitedWhile(forced.length === 0 && reaper.length === 0, 'nothing shows a forced delete', {
        missing: ['kubernetes/audit', 'journal'],
      }),
    ]
  },
  actor: findActor,
  sentence: (d) =>
    `${upper(thePod(d))} was force-deleted${findActor(d) === null ? '' : ` by ${findActor(d)}`}${whileWorking(d)}; the kubelet then gave the container at most two seconds.`,
  next: (d) => [
    ...(findActor(d) === null
      ? [AUDIT_ADVICE, 'Until then, look for clean-up scripts with --force or grace period 0.']
      : [
          `The delete with grace period 0 came from ${findActor(d)}: let it delete only pods that are not busy at GitHub and have no recorded job, or revoke its right to delete pods.`,
        ]),
    'A ValidatingAdmissionPolicy on working runners blocks such deletes for every client.',
  ],
}
