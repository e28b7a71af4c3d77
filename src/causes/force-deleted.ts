import { WEIGHT, limitedWhile, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { forcedRemovals, limitedByLife, limitedByWork, refutedByOtherEnds } from '#/core/why/grounds.ts'
import { thePod, whileWorking } from '#/core/why/wording.ts'

function actorOf(d: Dossier): string | null {
  const named = forcedRemovals(d).find(({ by }) => by !== null)?.by ?? null
  return named ?? (d.told('orphan-reaped').length > 0 ? 'orphan-reaper' : null)
}

/** The kubelet gives two seconds to a container whose pod has no object any more, and the runtime logs it too. */
function shortStops({ stopping: { stops } }: Dossier): readonly Fact[] {
  return stops.filter(({ told: { seconds } }) => seconds !== undefined && Number(seconds) <= SHORT_GRACE_S)
}

const SHORT_GRACE_S = 2

const WEIGHTS: Readonly<Record<string, number>> = { 'kubernetes/audit': 0.93, 'kubernetes/pods': 0.6 }
const BY_ORDER = 0.88

export const forceDeleted: Cause = {
  id: 'force-deleted',
  kind: 'death',
  meaning: 'the pod object was removed under a working runner',
  toldApart:
    'The object went before the container: one delete in the audit log and none by the kubelet after it; REMOVE before the end in the journal. A Killing event and even shutdown lines of the runner are ordinary here.',
  settledBy: ['kubernetes/audit', 'journal'],
  weigh: (d) => {
    const forced = forcedRemovals(d)
    const reaper = d.told('orphan-reaped')
    const isShort = (d.pod?.specGraceSeconds ?? 30) > SHORT_GRACE_S
    return [
      ...forced.flatMap(({ fact }) => speaksFor(WEIGHTS[fact.source] ?? BY_ORDER, fact)),
      ...speaksFor(0.85, reaper),
      ...speaksFor(WEIGHT.medium, isShort && forced.length + reaper.length > 0 ? shortStops(d) : []),
      ...speaksFor(
        0.3,
        forced.length + reaper.length > 0
          ? d.stopping.stops.filter(({ source }) => source === 'kubernetes/events')
          : [],
      ),
      ...speaksAgainst(d.fate.gone.filter(({ is }) => is === 'garbage-collected')),
      ...speaksAgainst(d.removals.filter(({ by }) => by === 'pod-garbage-collector').map(({ fact }) => fact)),
      ...speaksAgainst(
        d.removals
          .filter(
            ({ manner, isAfterEnd, fact }) => manner === 'ordinary' && !isAfterEnd && fact.source !== 'kubernetes/pods',
          )
          .map(({ fact }) => fact),
      ),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedByLife(d),
      ...limitedWhile(
        forced.length === 0 && reaper.length === 0,
        'nothing shows that the object was taken away by force',
        { missing: ['kubernetes/audit', 'journal'] },
      ),
    ]
  },
  actor: actorOf,
  sentence: (d) =>
    `The object of ${thePod(d)} was removed by force${actorOf(d) === null ? '' : ` by ${actorOf(d)}`}${whileWorking(d)}; the kubelet then gave the container two seconds at most.`,
  next: (d) => [
    actorOf(d) === null
      ? 'The audit log names who did it: turn it on for deletes of pods, or connect it where it is on (docs/evidence.md, docs/install.md). Until then look for clean-up scripts with --force or grace period 0.'
      : `It was ${actorOf(d)}, with grace period 0: let it delete only what GitHub says is not busy and no record has a job for, or take the right to delete pods away.`,
    'A ValidatingAdmissionPolicy on working runners refuses such a delete whoever asks for it.',
  ],
}
