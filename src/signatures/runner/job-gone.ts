import type { Signature } from '#/core/evidence/signature.ts'

export const jobGone: Signature = {
  id: 'job-gone',
  says: 'The job was gone before the runner could take it.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Job message not found '(?<message>[^']+)'/,
      literals: ["Job message not found '"],
      strength: 'strong',
      examples: {
        matches: ["[INFO Runner] Skipping message Job. Job message not found 'x'. job was canceled"],
        rejects: ["Skipping message Job. Job message already acquired 'x'."],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Acknowledge returned job-not-found for ephemeral runner request '/,
      literals: ["Acknowledge returned job-not-found for ephemeral runner request '"],
      strength: 'decisive',
      examples: {
        matches: ["[INFO Runner] Acknowledge returned job-not-found for ephemeral runner request 'x'. Exiting runner."],
        rejects: [
          '[INFO Runner] Job has finished at backend, the runner will exit since it is running under onetime use mode.',
        ],
      },
    },
  ],
}
