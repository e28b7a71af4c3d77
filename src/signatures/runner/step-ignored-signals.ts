import type { Signature } from '#/core/evidence/signature.ts'

export const stepIgnoredSignals: Signature = {
  id: 'step-ignored-signals',
  says: 'A process of the job ignored the stop signals.',
  patterns: [
    {
      streams: ['runner-log'],
      regex:
        /Process did not honor (?<signal>SIGINT|SIGTERM) signal within|Kill entire process tree since both cancel and terminate signal has been ignored/,
      literals: [
        'Kill entire process tree since both cancel and terminate signal has been ignored',
        'Process did not honor ',
      ],
      strength: 'medium',
      examples: {
        matches: ['[INFO ProcessInvokerWrapper] Process did not honor SIGINT signal within 7.5 seconds.'],
        rejects: ['[INFO ProcessInvokerWrapper] Finished process 812 with exit code 137, and elapsed time 00:03:11.'],
      },
    },
  ],
}
