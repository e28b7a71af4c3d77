import type { Signature } from '#/core/evidence/signature.ts'

export const diskNearlyFull: Signature = {
  id: 'disk-nearly-full',
  says: 'The runner warns that its disk is nearly full.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex:
        /You are running out of disk space\. The runner will stop working when the machine runs out of disk space\. Free space left: (?<megabytes>\d+) MB/,
      literals: [
        'You are running out of disk space. The runner will stop working when the machine runs out of disk space. Free space left: ',
      ],
      strength: 'strong',
      examples: {
        matches: [
          'You are running out of disk space. The runner will stop working when the machine runs out of disk space. Free space left: 72 MB',
        ],
        rejects: [
          '[INFO Runner] Job has finished at backend, the runner will exit since it is running under onetime use mode.',
        ],
      },
    },
  ],
}
