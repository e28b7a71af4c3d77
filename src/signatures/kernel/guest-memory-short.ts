import type { Signature } from '#/core/evidence/signature.ts'

export const guestMemoryShort: Signature = {
  id: 'guest-memory-short',
  says: 'The guest kernel of the microVM had hardly any memory left.',
  patterns: [
    {
      streams: ['guest-kernel'],
      regex: /virtio_balloon .{0,80}Out of puff!/,
      literals: ['Out of puff'],
      strength: 'medium',
      examples: {
        matches: ["virtio_balloon virtio3: Out of puff! Can't get 1 pages"],
        rejects: ['virtio_balloon virtio3: balloon inflated'],
      },
    },
    {
      streams: ['guest-kernel'],
      regex: /oom_reaper: reaped process (?<pid>\d+) \((?<victim>Runner\.\w{1,20})\)/,
      literals: ['oom_reaper: reaped process'],
      strength: 'strong',
      examples: {
        matches: ['oom_reaper: reaped process 214 (Runner.Listener), now anon-rss:0kB'],
        rejects: ['oom_reaper: reaped process 911 (node), now anon-rss:0kB, file-rss:0kB'],
      },
    },
  ],
}
