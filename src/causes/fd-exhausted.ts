import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded } from '#/core/why/weighing/shared-facts.ts'
import { fullFileTable } from '#/core/why/exhaustion.ts'
import { theNode, thePod, upper, whileWorking } from '#/core/why/wording.ts'

export const fdExhausted: Cause = {
  id: 'fd-exhausted',
  kind: 'death',
  meaning: "the host's file table, or the process's limit, was used up",
  distinguishedBy: "ENFILE is the host's table and hits every pod of the node; EMFILE is the limit of one process.",
  settledBy: ['logs', 'github/logs', 'host', 'journal'],
  weigh: (d) => {
    const ofHost = d.subjectClues('host-files-exhausted')
    return [
      ...supports(0.75, ofHost),
      ...supports(0.75, d.subjectClues('process-files-exhausted')),
      ...supports(0.6, ofHost.length > 0 || d.working.github.lost.length > 0 ? d.nodeClues('file-table-full') : []),
      ...supports(0.6, ofHost.length > 0 ? fullFileTable(d) : []),
      ...contradicts(concluded(d, 'success')),
    ]
  },
  sentence: (d) =>
    d.subjectClues('host-files-exhausted').length > 0
      ? `${upper(theNode(d))} reached its limit of open files, which stopped ${thePod(d)}${whileWorking(d)}.`
      : `A process of ${thePod(d)} reached its limit of open files${whileWorking(d)}.`,
  next: (d) =>
    d.subjectClues('host-files-exhausted').length > 0
      ? [
          `Raise fs.file-max on ${theNode(d)}, and find what holds the files (/proc/sys/fs/file-nr before and after a drain).`,
        ]
      : ['Raise the limit of open files (nofile) of the container runtime, or make the tool open fewer at once.'],
}
