import type { Signature } from '#/core/evidence/signature.ts'

export const vmRemoved: Signature = {
  id: 'vm-removed',
  says: 'Something on the host stopped or deleted the virtual machine.',
  patterns: [
    {
      streams: ['vmm'],
      regex: /(?:\btart (?:stop|delete)|vm process) (?:--?\S{1,30} ){0,4}(?<pod>[\w.-]{1,253})/,
      literals: ['tart stop ', 'tart delete ', 'vm process '],
      strength: 'strong',
      examples: {
        matches: [
          'exec: tart stop macos-runner-60114 --timeout 0; tart delete macos-runner-60114',
          '2026-07-28T08:31:28.000000Z WARN vm process macos-runner-60114 ended, "tart run" exit status 0',
        ],
        rejects: ['INFO sync: syncing 2 local VMs against 2 remote pods'],
      },
    },
    {
      streams: ['vmm'],
      regex:
        /[Vv]irtual machine stopped(?: unexpectedly)?\b|guest did not request shutdown|[Dd]omain (?<domain>\S{1,253}): (?:shutting down|terminating|Stopped), reason=(?:crashed|destroyed|failed)/,
      literals: ['irtual machine stopped', 'guest did not request shutdown', 'omain '],
      strength: 'medium',
      examples: {
        matches: [
          'Virtual machine stopped: VZErrorDomain Code=1 "The virtual machine stopped unexpectedly." (guest did not request shutdown)',
          'qemu: domain vm-12: shutting down, reason=crashed',
        ],
        rejects: ['domain vm-12: shutting down, reason=shutdown'],
      },
    },
  ],
}
