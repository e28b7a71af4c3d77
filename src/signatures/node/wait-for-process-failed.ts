import type { Signature } from '#/core/evidence/signature.ts'

export const waitForProcessFailed: Signature = {
  id: 'wait-for-process-failed',
  says: 'The shim lost the process that it was waiting for.',
  patterns: [
    {
      streams: ['vmm', 'containerd'],
      regex: /Wait for process failed/,
      literals: ['Wait for process failed'],
      strength: 'strong',
      examples: {
        matches: ['level=error msg="Wait for process failed" error="ttrpc: closed" container=x'],
        rejects: [
          'level=error msg="failed to delete dead shim" error="open /run/vc/sbs/x: no such file or directory" id=x',
        ],
      },
    },
  ],
}
