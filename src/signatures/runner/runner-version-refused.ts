import type { Signature } from '#/core/evidence/signature.ts'

export const runnerVersionRefused: Signature = {
  id: 'runner-version-refused',
  says: 'GitHub refuses this version of the runner.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /Runner version v?(?<version>\S+) is deprecated and cannot receive messages/,
      literals: [' is deprecated and cannot receive messages'],
      strength: 'decisive',
      examples: {
        matches: ['An error occured: Runner version v2.330.0 is deprecated and cannot receive messages.'],
        rejects: ['[INFO Runner] Runner registration no longer exists while retrieving messages. Runner not found'],
      },
    },
  ],
}
