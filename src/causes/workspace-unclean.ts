import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded } from '#/core/why/weighing/shared-facts.ts'
import { theJob, clueField, upper } from '#/core/why/wording.ts'

export const workspaceUnclean: Cause = {
  id: 'workspace-unclean',
  kind: 'not-a-death',
  meaning: 'leftovers in the work folder stopped checkout before any code ran',
  distinguishedBy: 'The error names a path in the work folder, and no code of the repository ran before it.',
  settledBy: ['github/logs', 'logs'],
  weigh: (d) => [
    ...supports(0.9, d.subjectClues('work-folder-denied')),
    ...supports(0.85, d.subjectClues('work-folder-invalid')),
    ...contradicts(concluded(d, 'success')),
    ...contradicts(d.working.github.lost),
  ],
  sentence: (d) =>
    `${upper(theJob(d))} stopped before any of its code ran: leftovers in the work folder (${clueField(d, 'work-folder-denied', 'path') ?? clueField(d, 'work-folder-invalid', 'path') ?? 'path unknown'}) belong to another user.`,
  next: (d) => [
    `First let the runners on ${d.subject.node ?? 'the host'} finish and take no new jobs (kubectl cordon); then remove the folder of this one repository, not the whole work folder, which other jobs may use.`,
    'Give each runner its own work folder (an emptyDir): containers of earlier jobs wrote as root.',
  ],
}
