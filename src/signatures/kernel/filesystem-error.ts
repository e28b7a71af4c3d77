import type { Signature } from '#/core/evidence/signature.ts'

export const filesystemError: Signature = {
  id: 'filesystem-error',
  says: 'A file system is broken or read-only.',
  patterns: [
    {
      streams: ['kernel', 'event'],
      regex:
        /EXT4-fs error|Remounting filesystem read-only|remounted? (?:filesystem )?read-only|Aborting journal on device|XFS .* (?:Shutting down filesystem|Filesystem has been shut down)|XFS \([^)]+\): (?:Metadata )?[Cc]orruption|BTRFS (?:error|critical) .*(?:forced readonly|errno=-5)/,
      literals: [
        'Remounting filesystem read-only',
        'Filesystem has been shut down',
        'Shutting down filesystem',
        'EXT4-fs error',
        'orruption',
        'remount',
        'Aborting journal on device',
        'forced readonly',
        'errno=-5',
      ],
      strength: 'decisive',
      examples: {
        matches: ['EXT4-fs (sda1): Remounting filesystem read-only'],
        rejects: ['systemd-logind: The system will power off now!'],
      },
    },
  ],
}
