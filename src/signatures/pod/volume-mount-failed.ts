import type { Signature } from '#/core/evidence/signature.ts'

export const volumeMountFailed: Signature = {
  id: 'volume-mount-failed',
  says: 'A volume could not be mounted or attached.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedMount'],
      regex: /^(?:MountVolume\.SetUp failed|Unable to attach or mount volumes|MountVolume\.MountDevice failed)/,
      literals: ['Unable to attach or mount volumes', 'MountVolume.MountDevice failed', 'MountVolume.SetUp failed'],
      strength: 'decisive',
      examples: {
        matches: ['MountVolume.SetUp failed for volume "jit" : secret "x" not found'],
        rejects: ['MountVolume.WaitForAttach succeeded for volume "jit"'],
      },
    },
    {
      streams: ['event'],
      reasons: ['FailedAttachVolume'],
      regex: /Multi-Attach error for volume|AttachVolume\.Attach failed/,
      literals: ['Multi-Attach error for volume', 'AttachVolume.Attach failed'],
      strength: 'decisive',
      examples: {
        matches: ['Multi-Attach error for volume "pvc-1" Volume is already exclusively attached'],
        rejects: ['MountVolume.SetUp failed for volume "jit" : secret "x" not found'],
      },
    },
  ],
}
