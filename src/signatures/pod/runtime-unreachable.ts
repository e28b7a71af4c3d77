import type { Signature } from '#/core/evidence/signature.ts'

export const runtimeUnreachable: Signature = {
  id: 'runtime-unreachable',
  says: 'The kubelet cannot reach the container runtime.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['ContainerGCFailed'],
      regex: /^rpc error: code = Unavailable desc = .*connection refused/,
      literals: ['rpc error: code = Unavailable desc = '],
      strength: 'strong',
      examples: {
        matches: [
          'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"',
        ],
        rejects: [
          'rpc error: code = NotFound desc = an error occurred when try to find container "4c5b34c79a14": not found',
        ],
      },
    },
    {
      streams: ['kubelet'],
      regex: /GenericPLEG: Unable to retrieve pods/,
      literals: ['GenericPLEG: Unable to retrieve pods'],
      strength: 'strong',
      examples: {
        matches: [
          String.raw`"GenericPLEG: Unable to retrieve pods" err="rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused\""`,
        ],
        rejects: [
          'I1115 20:42:06.929748   28196 generic.go:413] "Generic (PLEG): container finished" podID="9a20d270-5bba-49ef-ace6-c7ce60d1c23f" containerID="aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d" exitCode=0',
        ],
      },
    },
  ],
}
