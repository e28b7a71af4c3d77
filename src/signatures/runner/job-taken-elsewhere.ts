import type { Signature } from '#/core/evidence/signature.ts'

export const jobTakenElsewhere: Signature = {
  id: 'job-taken-elsewhere',
  says: 'Another runner has the job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Job message already acquired '|Unprocessable job '/,
      literals: ["Job message already acquired '", "Unprocessable job '"],
      strength: 'strong',
      examples: {
        matches: ["Skipping message Job. Job message already acquired 'x'."],
        rejects: ["[INFO Runner] Skipping message Job. Job message not found 'x'. job was canceled"],
      },
    },
  ],
}
