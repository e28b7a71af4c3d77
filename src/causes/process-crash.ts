import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import type { Fact } from '#/core/why/fact.ts'
import {
  crashEnds,
  crashedWorkers,
  foldedCrashes,
  limitedByWork,
  limitedToStarted,
  refutedByOtherEnds,
  refutedByStop,
} from '#/core/why/weighing/shared-facts.ts'
import { theContainer, clueField, upper, whileWorking } from '#/core/why/wording.ts'

const AT_ONCE_MS = 3000

/** The kernel names a process, not a pod: it counts only for a runner process at the time of this end. */
function kernelLines(d: Dossier): readonly Fact[] {
  const endedAt = d.ending.folded?.at ?? d.ending.at
  return d
    .nodeClues('segfault', 'trap')
    .filter(
      ({ fields, at }) =>
        /^Runner\.|^dotnet$/.test(fields['victim'] ?? '') &&
        endedAt !== null &&
        at !== null &&
        Math.abs(at - endedAt) <= AT_ONCE_MS,
    )
}

const SHORTAGES = ['no-space-left', 'process-files-exhausted', 'host-files-exhausted', 'fork-failed'] as const

/** A runner that aborts because a resource ran out says so in its own log. What a step printed is about the step. */
function shortages(d: Dossier): readonly Fact[] {
  return d.subjectClues(...SHORTAGES).filter(({ is, source }) => is === 'no-space-left' || source.startsWith('logs/'))
}

function howCrashed(d: Dossier): string {
  const { folded } = d.ending
  const code = crashEnds(d)[0]?.fields['code'] ?? folded?.fields['code'] ?? clueField(d, 'worker-crashed', 'code')
  return code === null || code === undefined ? (folded?.fields['signal'] ?? 'exit code unknown') : `exit code ${code}`
}

export const processCrash: Cause = {
  id: 'process-crash',
  kind: 'death',
  meaning: 'the runner process crashed: segfault, abort',
  distinguishedBy:
    'Exit code 139, 134 or 135. run-helper.sh may turn it into 0; then the log has the code. A segfault has a kernel line, an abort has none.',
  settledBy: ['logs', 'journal', 'kubernetes/pods'],
  weigh: (d) => {
    const folded = foldedCrashes(d)
    const worker = crashedWorkers(d).filter(({ fields }) => fields['code'] !== String(EXIT_CODES.killed))
    return [
      ...supports(0.6, crashEnds(d)),
      ...supports(0.8, folded),
      ...supports(0.75, worker),
      ...supports(0.7, crashEnds(d).length + folded.length + worker.length > 0 ? kernelLines(d) : []),
      ...supports(0.4, kernelLines(d)),
      ...contradicts(shortages(d)),
      ...contradicts(d.memory.kills.filter(({ isRunner }) => isRunner).map(({ fact }) => fact)),
      ...refutedByStop(d),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedToStarted(d),
      ...limitedWhile(
        !d.wasRead('logs') && kernelLines(d).length === 0,
        'the log of the runner before the crash is missing',
        {
          missing: ['logs', 'journal'],
        },
      ),
      ...limitedWhile(
        d.subjectClues('dotnet-out-of-memory').length > 0 && !d.wasLooking('journal'),
        'it crashed because a resource was short, and no source shows which',
        { missing: ['journal', 'cgroup'] },
      ),
      ...limitedWhile(crashEnds(d).length + folded.length + worker.length === 0, 'how the runner ended is not known', {
        missing: ['kubernetes/pods', 'logs'],
      }),
    ]
  },
  sentence: (d) =>
    `${upper(kernelLines(d)[0]?.fields['victim'] ?? 'the runner')} crashed in ${theContainer(d)}${whileWorking(d)} (${howCrashed(d)}).`,
  next: () => [
    'Check the runner version for known bugs, and whether the image or the CPU features of the node changed. Keep a core dump (ulimit -c) if it repeats.',
  ],
}
