import type { Signature } from '#/core/evidence/signature.ts'

export const diskRefused: Signature = {
  id: 'disk-refused',
  says: 'A write or read failed because the file system is read-only or the disk returns errors.',
  patterns: [
    {
      streams: ['job-log', 'runner-log', 'annotation'],
      regex:
        /[Rr]ead-only file system|\bEROFS\b|[Ii]nput\/output error|\bEIO\b: |Structure needs cleaning|disk I\/O error/,
      literals: [
        'ead-only file system',
        'EROFS',
        'nput/output error',
        'EIO: ',
        'Structure needs cleaning',
        'disk I/O error',
      ],
      strength: 'medium',
      caution:
        'A mount can be read-only on purpose: it is the fault of the disk only if the kernel of the node reports errors of it.',
      examples: {
        matches: [
          "mkdir: cannot create directory '/home/runner/_work/_temp': Read-only file system",
          'Error: EROFS: read-only file system, open',
          'cp: error writing: Input/output error',
        ],
        rejects: ['ENOSPC: no space left on device, write'],
      },
    },
  ],
}
