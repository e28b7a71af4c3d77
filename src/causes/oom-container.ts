import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import type { Fact } from '#/core/why/fact.ts'
import { anyEviction, deadline, hasSucceeded, sigkills, wasOomKilled } from '#/core/why/weighing/shared-facts.ts'
import { memoryLimit, theContainer, whileWorking } from '#/core/why/wording.ts'
import { upper } from '#/core/why/wording.ts'

const LONG_BEFORE_MS = 10_000

/** The runtime never clears OOMKilled: a step may have been the victim long before something else ended the container. */
function stoppedInstead(d: Dossier): readonly Fact[] {
  const atEnd = d.memory.kills.some(({ fact }) => isAtEnd(fact, d))
  return atEnd ? [] : [...d.stopping.stops, ...d.stopping.requests.map(({ fact }) => fact)]
}

function isAtEnd({ at }: Fact, { ending }: Dossier): boolean {
  return at === null || ending.at === null || Math.abs(at - ending.at) < LONG_BEFORE_MS
}

/** Exit code 0 with OOMKilled: the listener was the victim if the log shows no end of the job. */
function foldedVictim(d: Dossier): readonly Fact[] {
  const isSilent = d.wasRead('logs') && d.working.result === null && d.working.left.length === 0
  return isSilent ? wasOomKilled(d).filter(({ fields }) => fields['code'] !== String(EXIT_CODES.killed)) : []
}

export const oomContainer: Cause = {
  id: 'oom-container',
  kind: 'death',
  meaning: "the container's memory limit was reached and the kernel killed it or its main process",
  distinguishedBy:
    'The victim is the runner itself: exit code 137 with OOMKilled, or 0 with OOMKilled and a log that breaks off. OOMKilled alone can also mean that a step was killed.',
  settledBy: ['kubernetes/pods', 'journal', 'cgroup'],
  isProvenByStatus: true,
  weigh: (d) => {
    const ofRunner = d.memory.kills
      .filter(({ isRunner, scope }) => isRunner && scope === 'limit')
      .map(({ fact }) => fact)
    const ofSteps = d.memory.kills.filter(({ isRunner }) => !isRunner).map(({ fact }) => fact)
    const marked = wasOomKilled(d).filter(({ fields }) => fields['code'] === String(EXIT_CODES.killed))
    // A pod-level limit marks every container of the pod: with the victim elsewhere, the mark proves nothing.
    const taskOom = d.memory.elsewhere.length === 0 ? d.memory.taskOom : []
    const evidence = [...ofRunner, ...d.memory.counted, ...taskOom, ...wasOomKilled(d)]
    const others = stoppedInstead(d)
    return [
      ...supports(WEIGHT.decisive, marked),
      ...supports(0.9, ofRunner),
      ...supports(0.6, foldedVictim(d)),
      ...supports(0.6, evidence.length > 0 ? sigkills(d).filter(({ source }) => source !== 'kubernetes/pods') : []),
      ...supports(WEIGHT.medium, d.memory.counted),
      ...supports(0.4, taskOom),
      ...supports(0.2, d.memory.full),
      ...contradicts(
        ofRunner.length === 0 && marked.length === 0 && d.working.result !== null ? [...ofSteps, d.working.result] : [],
      ),
      ...contradicts(hasSucceeded(d)),
      ...contradicts([...anyEviction(d), ...deadline(d)]),
      ...contradicts(d.memory.kills.filter(({ scope }) => scope === 'host').map(({ fact }) => fact)),
      ...contradicts(d.memory.vm),
      ...contradicts(d.wasLooking('journal') ? others : []),
      ...limitedWhile(
        others.length > 0 && !d.wasLooking('journal'),
        'something also stopped it, and no kernel log covers the time',
        { missing: ['journal'] },
      ),
      ...limitedWhile(evidence.length === 0, 'nothing shows that memory ran out', {
        missing: ['kubernetes/pods', 'journal', 'cgroup'],
      }),
      ...limitedWhile(
        ofRunner.length === 0 && marked.length === 0 && sigkills(d).length === 0 && foldedVictim(d).length === 0,
        'nothing shows that the runner itself was killed',
        { missing: ['journal', 'kubernetes/pods'] },
      ),
    ]
  },
  sentence: (d) => {
    const victim = d.memory.kills.find(({ isRunner }) => isRunner)?.victim
    return `The kernel killed ${victim === undefined || victim === '' ? theContainer(d) : `${victim} in ${theContainer(d)}`} at its memory limit${memoryLimit(d)}${whileWorking(d)}.`
  },
  next: (d) => [
    `${upper(theContainer(d))} needs more memory than its limit${memoryLimit(d)}: raise the limit of the lane, or make the job smaller (fewer parallel workers).`,
    'Run vitals.sh in the runner to see which step uses it (docs/evidence.md, "Vitals").',
  ],
}
