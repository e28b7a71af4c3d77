import type { Signature } from '#/core/evidence/signature.ts'

export const endedByService: Signature = {
  id: 'ended-by-service',
  says: "GitHub's service requested a shutdown of the runner.",
  patterns: [
    {
      streams: ['runner-log'],
      regex:
        /Service requests the hosted runner to shutdown\. Reason: '(?<why>[^']*)'|Hosted runner has been deprovisioned/,
      literals: ["Service requests the hosted runner to shutdown. Reason: '", 'Hosted runner has been deprovisioned'],
      strength: 'decisive',
      examples: {
        matches: ["[INFO Runner] Service requests the hosted runner to shutdown. Reason: 'x'."],
        rejects: ["[INFO Runner] Skipping message Job. Job message not found 'x'. job was canceled"],
      },
    },
  ],
}
