import type { Signature } from '#/core/evidence/signature.ts'

export const cancelOrShutdown: Signature = {
  id: 'cancel-or-shutdown',
  says: 'The worker received a cancel, from the server or from a shutdown.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Cancellation\/Shutdown message received\./,
      literals: ['Cancellation/Shutdown message received.'],
      strength: 'medium',
      examples: {
        matches: ['[WORKER 2026-06-06 21:30:14Z INFO Worker] Cancellation/Shutdown message received.'],
        rejects: ['[RUNNER 2026-06-06 21:30:14Z INFO BrokerMessageListener] Session created.'],
      },
    },
    {
      streams: ['annotation', 'job-log'],
      regex: /^The operation was canceled\.$/,
      literals: ['The operation was canceled.'],
      strength: 'medium',
      caution: 'A cancel, a time-out and a shutdown print the same line.',
      examples: {
        matches: ['The operation was canceled.'],
        rejects: ['The hosted runner: GitHub Actions 9 lost communication with the server. Anything in your workflow'],
      },
    },
  ],
}
