import type { Signature } from '#/core/evidence/signature.ts'

export const sandboxStoppedUnexpectedly: Signature = {
  id: 'sandbox-stopped-unexpectedly',
  says: 'The microVM stopped without a request.',
  patterns: [
    {
      streams: ['vmm', 'containerd'],
      regex: /sandbox stopped unexpectedly|watchSandbox gets an error or stop signal/,
      literals: ['watchSandbox gets an error or stop signal', 'sandbox stopped unexpectedly'],
      strength: 'decisive',
      examples: {
        matches: ['level=warning msg="sandbox stopped unexpectedly" error="failed to ping agent: Dead agent"'],
        rejects: ['level=warning msg="failed to ping agent: Dead agent" sandbox=2088eb78'],
      },
    },
  ],
}
