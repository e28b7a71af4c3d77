import type { Signature } from '#/core/evidence/signature.ts'

export const workFolderDenied: Signature = {
  id: 'work-folder-denied',
  says: 'Leftovers in the work folder belong to another user.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /EACCES: permission denied, (?:unlink|rmdir|mkdir|scandir|open) '(?<path>[^']*_work[^']*)'/,
      literals: ['EACCES: permission denied, '],
      strength: 'decisive',
      examples: {
        matches: ["EACCES: permission denied, unlink '/runner/_work/repo/repo/.git/index'"],
        rejects: ['ENOSPC: no space left on device, write'],
      },
    },
  ],
}
