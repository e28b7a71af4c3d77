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
    'ENOSPC in the log without an eviction. ENOSPC from a file watcher is the inotify limit, not the disk. A full tmpfs also gives ENOSPC.',
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
      ...limitedWhile(said.length === 0 && d.told('job-failed-by-io').length === 0, 'no failed write was seen', {
        missing: ['logs', 'github/logs'],
      }),
    ]
  },
  sentence: (d) =>
    `${upper(thePod(d))} ran out of space${toldBy(d, 'no-space-left', 'path') === null ? '' : ` at ${toldBy(d, 'no-space-left', 'path')}`}${whileWorking(d)}.`,
  next: (d) => [
    /_diag|_work/.test(toldBy(d, 'no-space-left', 'path') ?? '')
      ? 'The work folder of the runner is full: give it a larger volume, or delete the caches that jobs leave behind.'
      : 'Find the full volume (df, df -i): container root, emptyDir or tmpfs. Set ephemeral-storage requests that fit the job.',
  ],
}
