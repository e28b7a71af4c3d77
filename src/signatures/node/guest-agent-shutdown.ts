import type { Signature } from '#/core/evidence/signature.ts'

export const guestAgentShutdown: Signature = {
  id: 'guest-agent-shutdown',
  says: 'The guest agent shut down.',
  patterns: [
    {
      streams: ['vmm'],
      regex: /agent has shutdown, return from watching of OOM events/,
      literals: ['agent has shutdown, return from watching of OOM events'],
      strength: 'medium',
      caution: 'Also printed when a microVM ends normally.',
      examples: {
        matches: ['level=info msg="agent has shutdown, return from watching of OOM events" error="Dead agent"'],
        rejects: ['level=warning msg="sandbox stopped unexpectedly" error="failed to ping agent: Dead agent"'],
      },
    },
  ],
}
