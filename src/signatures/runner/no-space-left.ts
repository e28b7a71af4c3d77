import type { Signature } from '#/core/evidence/signature.ts'

export const noSpaceLeft: Signature = {
  id: 'no-space-left',
  says: 'A write failed: no space or no inodes left.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /No space left on device(?: : '(?<path>[^']+)')?/,
      literals: ['No space left on device'],
      strength: 'decisive',
      examples: {
        matches: [
          "System.IO.IOException: No space left on device : '/home/runner/_diag/Worker_20260606-213014-utc.log'",
        ],
        rejects: ['System.NullReferenceException: Object reference not set to an instance of an object.'],
      },
    },
    {
      streams: ['job-log', 'runner-log'],
      regex: /ENOSPC: no space left on device|No space left on device/i,
      literals: ['No space left on device'],
      strength: 'decisive',
      examples: {
        matches: ['ENOSPC: no space left on device, write'],
        rejects: ['Error: EDQUOT: disk quota exceeded, write'],
      },
    },
  ],
}
