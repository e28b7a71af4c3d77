import type { Signature } from '#/core/evidence/signature.ts'

export const ioError: Signature = {
  id: 'io-error',
  says: 'A disk failed to read or write.',
  patterns: [
    {
      streams: ['kernel', 'event'],
      regex:
        /Buffer I\/O error on dev|I\/O error, dev (?<device>\S+), sector \d+|nvme\S* .*(?:timeout, (?:aborting|reset|disable)|controller is down)|critical (?:medium|target|nexus) error, dev |rejecting I\/O to (?:offline|dead) device/,
      literals: [
        'Buffer I/O error on dev',
        'controller is down',
        'I/O error, dev ',
        'timeout, ',
        ' error, dev ',
        'rejecting I/O to ',
      ],
      strength: 'strong',
      examples: {
        matches: ['blk_update_request: I/O error, dev sda, sector 12345 op 0x0:(READ)'],
        rejects: ['{1}[Hardware Error]: event severity: fatal'],
      },
    },
  ],
}
