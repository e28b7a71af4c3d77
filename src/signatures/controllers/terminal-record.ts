import type { Signature } from '#/core/evidence/signature.ts'

export const terminalRecord: Signature = {
  id: 'terminal-record',
  says: 'A controller recorded how the runner pod ended.',
  patterns: [
    {
      streams: ['controller-log'],
      regex:
        /runner pod terminated.{0,300}? pod=(?<pod>\S+) .{0,300}?exitCode=(?<code>-?\d+) .{0,300}?reason=(?<reason>\S+)/,
      literals: ['runner pod terminated'],
      strength: 'decisive',
      examples: {
        matches: ['runner pod terminated pod=r-1 exitCode=9 signal=0 reason=Error'],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
