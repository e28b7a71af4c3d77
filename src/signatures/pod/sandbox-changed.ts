import type { Signature } from '#/core/evidence/signature.ts'

export const sandboxChanged: Signature = {
  id: 'sandbox-changed',
  says: 'The pod sandbox died and is recreated.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['SandboxChanged'],
      regex: /^Pod sandbox changed, it will be killed and re-created\./,
      literals: ['Pod sandbox changed, it will be killed and re-created.'],
      strength: 'strong',
      examples: {
        matches: ['Pod sandbox changed, it will be killed and re-created.'],
        rejects: ['Pod sandbox is ready'],
      },
    },
  ],
}
