import type { Signature } from '#/core/evidence/signature.ts'

export const fileTableFull: Signature = {
  id: 'file-table-full',
  says: 'The file table of the host is full.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /VFS: file-max limit (?<limit>\d+) reached/,
      literals: ['VFS: file-max limit '],
      strength: 'decisive',
      examples: {
        matches: ['VFS: file-max limit 205258 reached'],
        rejects: ['memory: usage 122880kB, limit 122880kB, failcnt 68'],
      },
    },
  ],
}
