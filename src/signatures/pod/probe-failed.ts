import type { Signature } from '#/core/evidence/signature.ts'

export const probeFailed: Signature = {
  id: 'probe-failed',
  says: 'A liveness or startup probe failed.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Unhealthy'],
      regex: /^(?<probe>Liveness|Startup) probe (?:failed|errored)(?::| and )/,
      literals: [' probe failed:', ' probe errored'],
      strength: 'strong',
      examples: {
        matches: [
          'Liveness probe failed: ',
          'Liveness probe errored and resulted in unknown state: rpc error: code = DeadlineExceeded desc = timeout 1s exceeded',
        ],
        rejects: ['Readiness probe failed: HTTP probe failed with statuscode: 503'],
      },
    },
    {
      streams: ['event'],
      reasons: ['Killing'],
      regex: /^(?:Init c|C)ontainer (?:(?<container>\S{1,63}) )?failed (?<probe>liveness|startup) probe/,
      literals: [' probe'],
      strength: 'decisive',
      caution:
        'Names the probe only if the container restarts; otherwise the event says only that the container is stopped.',
      examples: {
        matches: [
          'Container runner failed liveness probe, will be restarted',
          'Init container dind failed liveness probe',
          'Container failed startup probe, will be restarted',
        ],
        rejects: ['Stopping container runner'],
      },
    },
    {
      streams: ['kubelet'],
      regex: /failed (?:liveness|startup) probe(?:, will be restarted)?/,
      literals: ['failed '],
      strength: 'decisive',
      examples: {
        matches: [
          'I1115 20:39:00.566713   28196 kuberuntime_manager.go:1374] "Message for Container of pod" containerName="runner" containerStatusID={"Type":"containerd","ID":"37d422bb33eb1e68398fb99b14fe3a11a4da84d6c231b7046b7dcc8f76cf3218"} pod="build-farm/farm-arm-6wldx-runner-j3n9v" containerMessage="Container runner failed liveness probe"',
        ],
        rejects: [
          '"Probe failed" probeType="Readiness" pod="billing/invoice-api-76f5484d9b-82mlp" containerName="invoice-api" probeResult="failure" output=""',
        ],
      },
    },
    {
      streams: ['kubelet'],
      regex: /"SyncLoop \(probe\)" probe="(?<probe>liveness|startup)" status="unhealthy" pod="(?<pod>[^"]+)"/,
      literals: ['"SyncLoop (probe)" probe="'],
      strength: 'decisive',
      examples: {
        matches: [
          'I1115 20:39:00.566149   28196 kubelet.go:2826] "SyncLoop (probe)" probe="liveness" status="unhealthy" pod="build-farm/farm-arm-6wldx-runner-j3n9v"',
        ],
        rejects: ['"SyncLoop (probe)" probe="readiness" status="not ready" pod="billing/invoice-api-76f5484d9b-82mlp"'],
      },
    },
    {
      streams: ['kubelet'],
      regex:
        /"Probe failed" probeType="(?<probe>Liveness|Startup)" pod="(?<pod>[^"]+)" podUID="(?<uid>[^"]+)" containerName="(?<container>[^"]+)" probeResult="failure"/,
      literals: ['"Probe failed" probeType="'],
      strength: 'medium',
      examples: {
        matches: [
          'I1115 20:38:50.576301   28196 prober.go:122] "Probe failed" probeType="Liveness" pod="build-farm/farm-arm-6wldx-runner-j3n9v" podUID="7de15dc5-54e5-4cec-9d23-2fd1f659f7d8" containerName="runner" probeResult="failure" output=""',
        ],
        rejects: [
          '"Probe failed" probeType="Readiness" pod="billing/invoice-api-76f5484d9b-82mlp" podUID="9a20d270" containerName="invoice-api" probeResult="failure" output=""',
        ],
      },
    },
  ],
}
