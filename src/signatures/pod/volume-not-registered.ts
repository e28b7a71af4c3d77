import type { Signature } from '#/core/evidence/signature.ts'

export const volumeNotRegistered: Signature = {
  id: 'volume-not-registered',
  says: 'A restarted kubelet reports a volume of a pod that has ended.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedMount'],
      regex: /object "(?<namespace>[^"]+)"\/"(?<object>[^"]+)" not registered$/,
      literals: ['" not registered'],
      strength: 'context',
      caution: 'Printed for pods that ended before the kubelet restarted; it is not a failed start.',
      examples: {
        matches: ['MountVolume.SetUp failed for volume "home" : object "arc-runners"/"linux-8g-home" not registered'],
        rejects: ['MountVolume.SetUp failed for volume "jit" : secret "x" not found'],
      },
    },
  ],
}
