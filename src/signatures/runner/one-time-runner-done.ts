import type { Signature } from '#/core/evidence/signature.ts'

export const oneTimeRunnerDone: Signature = {
  id: 'one-time-runner-done',
  says: 'The job is finished at GitHub and the one-time runner exits.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Job has finished at backend, the runner will exit since it is running under onetime use mode/,
      literals: ['Job has finished at backend, the runner will exit since it is running under onetime use mode'],
      strength: 'strong',
      examples: {
        matches: [
          '[INFO Runner] Job has finished at backend, the runner will exit since it is running under onetime use mode.',
        ],
        rejects: ["[INFO Runner] Acknowledge returned job-not-found for ephemeral runner request 'x'. Exiting runner."],
      },
    },
  ],
}
