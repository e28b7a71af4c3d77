import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { sourceGroup } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { anyEviction, deadline, loggedStopSigns, limitedByWork, workDone } from '#/core/why/weighing/shared-facts.ts'
import { givenUpAt } from '#/core/why/starvation.ts'
import { theNode, thePod, upper, whileWorking } from '#/core/why/wording.ts'

/** containerd restarted and found no shim: containerd or the whole node was down. */
function foundDead(d: Dossier): readonly Fact[] {
  return d.ending.facts.filter(({ fields }) => fields['code'] === '255' && fields['reason'] === 'Unknown')
}

const SEVERAL = 2
const GIVEN_UP_MS = 1_200_000

/** GitHub gives a runner up ten minutes after it last heard of it: the node fell silent in the time before. */
function fitsGitHub(d: Dossier): boolean {
  const at = givenUpAt(d)
  const { gone, silent } = d.nodeState
  return (
    at !== null && [...gone, ...silent].some((fact) => fact.at !== null && fact.at <= at && at - fact.at <= GIVEN_UP_MS)
  )
}

/** The kubelet stopped the container and only then the node went: it was there to be drained. */
function stoppedFirst(d: Dossier): readonly Fact[] {
  const { gone, silent } = d.nodeState
  const wentAt = Math.min(...[...gone, ...silent].map(({ at }) => at ?? Infinity))
  return d.stopping.stops.filter(({ at }) => at !== null && at < wentAt)
}

const SURE = new Set(['garbage-collected', 'boot-changed', 'node-rebooted', 'kernel-panic'])

export const nodeLost: Cause = {
  id: 'node-lost',
  kind: 'death',
  meaning: 'the node went away: reboot, power, spot, network partition of the whole node',
  distinguishedBy:
    'While the node is away, the pod shows Running; once it is back, exit code 255 with reason Unknown and a late time. If the journal continues in the same boot, the machine stayed up and it is runtime-fault.',
  settledBy: ['kubernetes/nodes', 'kubernetes/events', 'journal', 'kubernetes/pods'],
  weigh: (d) => {
    const { gone, silent, sameBoot, peers } = d.nodeState
    const sure = gone.filter(({ is }) => SURE.has(is))
    const collected = d.removals.filter(({ by }) => by === 'pod-garbage-collector').map(({ fact }) => fact)
    const witnesses = new Set([...gone, ...silent, ...collected].map(sourceGroup)).size
    const isStillAway = silent.some(({ is }) => is === 'node-silent')
    return [
      ...supports(0.92, sure),
      ...supports(0.7, gone),
      ...supports(0.6, silent),
      ...supports(WEIGHT.medium, foundDead(d)),
      ...supports(0.3, foundDead(d).length > 0 ? peers : null),
      ...supports(WEIGHT.medium, collected),
      ...contradicts(sure.length === 0 ? sameBoot : null),
      ...contradicts(workDone(d)),
      ...contradicts(loggedStopSigns(d)),
      ...contradicts(stoppedFirst(d)),
      ...contradicts([...anyEviction(d), ...deadline(d)]),
      ...contradicts(
        d.ending.facts.filter(
          ({ fields }) =>
            fields['code'] !== '255' && fields['code'] !== '137' && fields['reason'] !== 'ContainerStatusUnknown',
        ),
      ),
      ...limitedByWork(d),
      ...limitedWhile(
        sure.length === 0 && foundDead(d).length === 0 && witnesses < SEVERAL,
        'only one sign of it was seen, and the node may have come back, or gone later',
        { missing: ['kubernetes/pods', 'kubernetes/nodes', 'kubernetes/events', 'journal'] },
      ),
      ...limitedWhile(
        sure.length === 0 && d.ending.at === null && !isStillAway && !fitsGitHub(d),
        'it is not known when the runner fell silent',
        {
          missing: ['logs', 'kubernetes/pods'],
        },
      ),
      ...limitedWhile(d.isAlive, 'the runner is still running', { at: 0 }),
      ...limitedWhile(gone.length === 0 && silent.length === 0, 'nothing shows that the node went away', {
        missing: ['kubernetes/nodes', 'kubernetes/events', 'journal'],
      }),
      ...limitedWhile(
        sure.length === 0 && gone.length === 0 && !d.wasLooking('journal') && foundDead(d).length > 0,
        'no source shows whether the machine stayed up',
        { missing: ['journal'], at: 0.75 },
      ),
    ]
  },
  actor: (d) => (d.nodeState.gone.some(({ is }) => is === 'garbage-collected') ? 'pod-garbage-collector' : null),
  sentence: (d) => `${upper(theNode(d))} was lost with ${thePod(d)}${whileWorking(d)}.`,
  next: (d) => [
    d.nodeState.gone.some(({ is }) => is === 'boot-changed' || is === 'node-rebooted')
      ? `Read the journal of the previous boot (journalctl -b -1) on ${theNode(d)}: its last lines show an orderly reboot, or break off at a power loss.`
      : `Check with the cloud or the hypervisor what happened to ${theNode(d)}: spot reclaim, crash or network loss. Rerun the job.`,
  ],
}
