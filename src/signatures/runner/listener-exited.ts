import type { Signature } from '#/core/evidence/signature.ts'

export const listenerExited: Signature = {
  id: 'listener-exited',
  says: 'The listener ended with a code that the container does not show.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Runner execution has finished with return code (?<code>\d+)/,
      literals: ['Runner execution has finished with return code '],
      strength: 'decisive',
      examples: {
        matches: ['[INFO Listener] Runner execution has finished with return code 0'],
        rejects: ['[INFO Listener] Runner execution been cancelled.'],
      },
    },
    {
      streams: ['runner-log'],
      regex:
        /^Runner listener exit with (?<how>0 return code|terminated error|retryable error|Session Conflict error)|^Runner listener exit because of updating|^Runner listener exit with deprecated version exit code: (?<code>\d+)/,
      literals: ['Runner listener exit '],
      strength: 'decisive',
      examples: {
        matches: ['Runner listener exit with terminated error, stop the service, no retry needed.'],
        rejects: ['Runner listener exited with error code null'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Runner listener exited with error code (?<code>\S+)/,
      literals: ['Runner listener exited with error code '],
      strength: 'strong',
      examples: {
        matches: ['Runner listener exited with error code null'],
        rejects: ['Runner listener exit with terminated error, stop the service, no retry needed.'],
      },
    },
  ],
}
