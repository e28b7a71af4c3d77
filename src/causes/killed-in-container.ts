import { NAMED_ABOVE, WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { isMicroVm } from '#/core/why/ending.ts'
import {
  limitedByWork,
  refutedByOtherEnds,
  refutedByStop,
  sigkills,
  wasOomKilled,
} from '#/core/why/weighing/shared-facts.ts'
import { theContainer, upper, whileWorking } from '#/core/why/wording.ts'

/** What only a kill of one process leaves behind: its parent inside the container lived on and reported it. */
function witnesses(d: Dossier): readonly Fact[] {
  return sigkills(d).filter((fact) => !d.ending.facts.includes(fact))
}

export const killedInContainer: Cause = {
  id: 'killed-in-container',
  kind: 'death',
  meaning: 'SIGKILL from inside the container or guest, with no memory evidence',
  distinguishedBy:
    'SIGKILL, and nothing outside sent it: no delete, no stop by the kubelet, no OOM line of this pod. It rests on absence, so the journal must cover that time.',
  settledBy: ['journal', 'kubernetes/events', 'kubernetes/pods', 'logs'],
  weigh: (d) => [
    ...supports(0.55, sigkills(d)),
    ...supports(WEIGHT.weak, sigkills(d).length > 0 ? d.working.github.lost : []),
    ...contradicts(wasOomKilled(d)),
    ...contradicts(d.memory.kills.map(({ fact }) => fact)),
    ...contradicts([
      ...d.memory.counted,
      ...d.memory.host,
      ...d.memory.vm,
      ...d.memory.guest,
      ...d.memory.taskOom,
      ...d.guestKills,
    ]),
    ...contradicts(
      d.subjectClues(
        'guest-panic',
        'guest-memory-short',
        'guest-agent-lost',
        'sandbox-stopped-unexpectedly',
        'vmm-terminated',
        'wait-for-process-failed',
      ),
    ),
    ...contradicts(d.nodeState.runtime.filter(({ is }) => is === 'shim-lost')),
    ...refutedByStop(d),
    ...refutedByOtherEnds(d),
    ...limitedByWork(d),
    ...limitedWhile(!d.wasLooking('journal'), 'no journal covers the time, which would show a stop or an OOM kill', {
      missing: ['journal'],
    }),
    // Nor does it see signals there: without a witness inside, absence proves nothing.
    ...limitedWhile(isMicroVm(d) && d.vitals.length === 0, 'the host cannot see memory run out inside a microVM', {
      missing: ['logs'],
      at: witnesses(d).length > 0 ? 0.7 : NAMED_ABOVE,
    }),
  ],
  sentence: (d) =>
    witnesses(d).length > 0
      ? `${upper(theContainer(d))} was killed by SIGKILL from inside${whileWorking(d)}: nothing outside stopped it, and memory did not run out.`
      : `${upper(theContainer(d))} was killed by SIGKILL${whileWorking(d)}, most likely from inside: the journal shows no stop from outside, and memory did not run out.`,
  next: () => [
    'Search the workflow for kill -9, pkill or a process clean-up that also hits the runner. Run steps in their own process group or container.',
  ],
}
