import { limitedWhile, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { anyEviction, concluded } from '#/core/why/grounds.ts'
import { fullDisks } from '#/core/why/exhaustion.ts'
import { thePod, toldBy, upper, whileWorking } from '#/core/why/wording.ts'

export const diskFull: Cause = {
  id: 'disk-full',
  kind: 'death',
  meaning: 'no space or no inodes left where the runner writes',
  toldApart:
    'ENOSPC in the log, without an eviction. ENOSPC of a file watcher is the limit of inotify, not the disk. A full tmpfs gives it too.',
  settledBy: ['logs', 'github/logs', 'host'],
  weigh: (d) => {
    const said = d.told('no-space-left')
    return [
      ...speaksFor(0.85, said),
      ...speaksFor(0.6, d.told('job-failed-by-io')),
      ...speaksFor(0.4, d.told('disk-nearly-full')),
      ...speaksFor(0.5, fullDisks(d)),
      ...speaksAgainst(anyEviction(d)),
      ...speaksAgainst(concluded(d, 'success')),
      ...limitedWhile(said.length === 0 && d.told('job-failed-by-io').length === 0, 'nothing was refused a write', {
        missing: ['logs', 'github/logs'],
      }),
    ]
  },
  sentence: (d) =>
    `${upper(thePod(d))} had no space left to write${toldBy(d, 'no-space-left', 'path') === null ? '' : ` at ${toldBy(d, 'no-space-left', 'path')}`}${whileWorking(d)}.`,
  next: (d) => [
    /_diag|_work/.test(toldBy(d, 'no-space-left', 'path') ?? '')
      ? 'The work folder of the runner is full: give it a larger volume, or clean the caches that the job leaves.'
      : 'See which volume is full (df, df -i): the root of the container, an emptyDir or a tmpfs; set ephemeral-storage requests that fit the job.',
  ],
}
