import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { anyEviction, concluded } from '#/core/why/weighing/shared-facts.ts'
import { fullDisks } from '#/core/why/exhaustion.ts'
import { thePod, clueField, upper, whileWorking } from '#/core/why/wording.ts'

export const diskFull: Cause = {
  id: 'disk-full',
  kind: 'death',
  meaning: 'no space or no inodes left where the runner writes',
  distinguishedBy:
    'ENOSPC in the log without an eviction. ENOSPC from a file watcher is the inotify limit, not the disk. A full tmpfs also gives ENOSPC.',
  settledBy: ['logs', 'github/logs', 'host'],
  weigh: (d) => {
    const said = d.subjectClues('no-space-left')
    return [
      ...supports(0.85, said),
      ...supports(0.6, d.subjectClues('job-failed-by-io')),
      ...supports(0.4, d.subjectClues('disk-nearly-full')),
      ...supports(0.5, fullDisks(d)),
      ...contradicts(anyEviction(d)),
      ...contradicts(concluded(d, 'success')),
      ...limitedWhile(
        said.length === 0 && d.subjectClues('job-failed-by-io').length === 0,
        'no failed write was seen',
        {
          missing: ['logs', 'github/logs'],
        },
      ),
    ]
  },
  sentence: (d) =>
    `${upper(thePod(d))} ran out of space${clueField(d, 'no-space-left', 'path') === null ? '' : ` at ${clueField(d, 'no-space-left', 'path')}`}${whileWorking(d)}.`,
  next: (d) => [
    ...(clueField(d, 'no-space-left', 'quota') === null
      ? []
      : [
          'It is the quota of the user, group or project, not the disk: df may show space. Look at the quota of the account that the runner uses.',
        ]),
    /_diag|_work/.test(clueField(d, 'no-space-left', 'path') ?? '')
      ? 'The work folder of the runner is full: give it a larger volume, or delete the caches that jobs leave behind.'
      : 'Find the full volume (df, df -i): container root, emptyDir or tmpfs. Set ephemeral-storage requests that fit the job.',
  ],
}
