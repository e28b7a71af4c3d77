import type { Signature } from '#/core/evidence/signature.ts'

export const guestPanic: Signature = {
  id: 'guest-panic',
  says: 'The guest kernel of the microVM panicked.',
  patterns: [
    {
      streams: ['guest-kernel'],
      regex: /Kernel panic - not syncing: (?<why>(?!Out of memory|System is deadlocked on memory).{1,200})/,
      literals: ['Kernel panic - not syncing'],
      strength: 'decisive',
      caution: 'The line is in the host journal, but the guest console wrote it: the host goes on.',
      examples: {
        matches: ['Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b'],
        rejects: ['Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled'],
      },
    },
  ],
}
