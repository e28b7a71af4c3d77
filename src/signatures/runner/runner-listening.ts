import type { Signature } from '#/core/evidence/signature.ts'

export const runnerListening: Signature = {
  id: 'runner-listening',
  says: 'The runner has a session at GitHub and waits for a job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Session created\./,
      literals: ['Session created.'],
      strength: 'context',
      examples: {
        matches: ['[RUNNER 2026-06-06 21:30:14Z INFO BrokerMessageListener] Session created.'],
        rejects: ['[WORKER 2026-06-06 21:30:14Z INFO Worker] Cancellation/Shutdown message received.'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ: Listening for Jobs$/,
      literals: ['Z: Listening for Jobs'],
      strength: 'context',
      examples: {
        matches: ['2026-06-06 21:30:14Z: Listening for Jobs'],
        rejects: ['2026-06-06 21:30:14Z: Runner reconnected.'],
      },
    },
  ],
}
