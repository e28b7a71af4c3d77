import type { Signature } from '#/core/evidence/signature.ts'

export const stepExited: Signature = {
  id: 'step-exited',
  says: 'A process of the job ended with an exit code.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /Process completed with exit code (?<code>\d+)\./,
      literals: ['Process completed with exit code '],
      strength: 'strong',
      examples: {
        matches: ['##[error]Process completed with exit code 137.'],
        rejects: ['2025-06-10 21:32:38Z: Job checks completed with result: Succeeded'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Finished process \d+ with exit code (?<code>\d+), and elapsed time/,
      literals: [', and elapsed time'],
      strength: 'strong',
      examples: {
        matches: ['[INFO ProcessInvokerWrapper] Finished process 812 with exit code 137, and elapsed time 00:03:11.'],
        rejects: ['[INFO ProcessInvokerWrapper] Process did not honor SIGINT signal within 7.5 seconds.'],
      },
    },
  ],
}
