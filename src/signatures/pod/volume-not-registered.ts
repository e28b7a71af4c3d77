import type { Signature } from '#/core/evidence/signature.ts'

export const volumeNotRegistered: Signature = {
  id: 'volume-not-registered',
  says: 'A remark of a restarted kubelet about the volume of a pod that has ended.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedMount'],
      regex: /object "(?<namespace>[^"]+)"\/"(?<object>[^"]+)" not registered$/,
      literals: ['" not registered'],
      strength: 'context',
      caution: 'Printed for pods that ended before the kubelet was restarted; it is no failure to start.',
      examples: {
        matches: ['MountVolume.SetUp failed for volume "home" : object "arc-runners"/"linux-8g-home" not registered'],
        rejects: ['MountVolume.SetUp failed for volume "jit" : secret "x" not found'],
      },
    },
  ],
}
