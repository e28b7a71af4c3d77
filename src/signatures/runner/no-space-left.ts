import type { Signature } from '#/core/evidence/signature.ts'

export const noSpaceLeft: Signature = {
  id: 'no-space-left',
  says: 'A write failed: no space or no inodes left, or the quota of the user is used up.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /(?:No space left on device|(?<quota>Disk quota exceeded))(?: : '(?<path>[^']+)')?/,
      literals: ['No space left on device', 'Disk quota exceeded'],
      strength: 'decisive',
      examples: {
        matches: [
          "System.IO.IOException: No space left on device : '/home/runner/_diag/Worker_20260606-213014-utc.log'",
          "System.IO.IOException: Disk quota exceeded : '/home/runner/_diag/Runner_20260218-215006-utc.log'",
        ],
        rejects: ['System.NullReferenceException: Object reference not set to an instance of an object.'],
      },
    },
    {
      streams: ['job-log', 'runner-log'],
      regex: /No space left on device|\bENOSPC\b|(?<quota>Disk quota exceeded|\bEDQUOT\b)/i,
      literals: ['no space left on device', 'disk quota exceeded', 'ENOSPC', 'EDQUOT'],
      strength: 'decisive',
      examples: {
        matches: ['ENOSPC: no space left on device, write', 'Error: EDQUOT: disk quota exceeded, write'],
        rejects: ['Error: EROFS: read-only file system, open'],
      },
    },
  ],
}
