import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const sessionConflict: Cause = {
  id: 'session-conflict',
  kind: 'never-started',
  meaning: "the runner's session or JIT configuration was already in use",
  distinguishedBy:
    'The runner logs that a session exists and retries for four minutes before it gives up. GitHub answered it, so it is no network-fault, although it prints a connect error too.',
  settledBy: ['logs'],
  weigh: (d) => [
    ...supports(0.93, d.subjectClues('session-conflict')),
    ...supports(0.9, gaveUp(d)),
    ...contradicts(ownJobs(d)),
    ...contradicts(
      d
        .subjectClues('runner-listening', 'listener-polls')
        .filter(({ at }) => (at ?? 0) > (d.subjectClues('session-conflict').at(-1)?.at ?? Infinity)),
    ),
  ],
  sentence: (d) =>
    d.kind === 'listener'
      ? `${upper(thePod(d))} never listened: another listener holds the session of its scale set.`
      : `${upper(thePod(d))} never took a job: its registration already had a session.`,
  next: (d) =>
    d.kind === 'listener'
      ? [
          'Look for a second listener of the same scale set: another cluster or installation with the same name, runner group and GitHub URL. Rename one of the sets.',
          'If there is none, a listener before it left its session open. If GitHub still refuses the new one after ten minutes, delete the scale set and install it again.',
        ]
      : [
          'Look for a second pod with the same JIT configuration or runner name: a restart with an old configuration, or a pod that was created twice.',
        ],
}

/** The exit code of the runner's listener for this. */
const CONFLICT_CODE = '5'

/** It never got a session, whatever it did before its log began. */
function gaveUp(d: Dossier): readonly Fact[] {
  return d
    .subjectClues('listener-exited')
    .filter(({ fields: { how, code } }) => how === 'Session Conflict error' || code === CONFLICT_CODE)
}

/**
 * ARC and GitHub record a job by the name of the runner, which whoever holds the session has too: the pod before this
 * one, or its double. Against a runner that never got the session only its own log counts.
 */
function ownJobs(d: Dossier): readonly Fact[] {
  const isLocked =
    gaveUp(d).length > 0 || d.subjectClues('session-conflict').some(({ fields: { seconds } }) => seconds !== undefined)
  return d.working.had.filter(({ is, at }) => is !== 'job-recorded' || !(isLocked || isBefore(at, d)))
}

function isBefore(at: number | null, { pod }: Dossier): boolean {
  const born = pod?.createdAt ?? null
  return at !== null && born !== null && at < born
}
