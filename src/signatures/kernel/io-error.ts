import type { Signature } from '#/core/evidence/signature.ts'

export const ioError: Signature = {
  id: 'io-error',
  says: 'A disk failed to read or write.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /Buffer I\/O error on dev|I\/O error, dev (?<device>\S+), sector \d+|nvme\S* .*(?:timeout, (?:aborting|reset)|controller is down)/,
      literals: ['Buffer I/O error on dev', 'controller is down', 'I/O error, dev ', 'timeout, '],
      strength: 'strong',
      examples: {
        matches: ['blk_update_request: I/O error, dev sda, sector 12345 op 0x0:(READ)'],
        rejects: ['{1}[Hardware Error]: event severity: fatal'],
      },
    },
  ],
}
