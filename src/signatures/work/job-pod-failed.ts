import type { Signature } from '#/core/evidence/signature.ts'

export const jobPodFailed: Signature = {
  id: 'job-pod-failed',
  says: 'The step ran in a pod of its own, as in the Kubernetes mode of ARC, and that failed.',
  patterns: [
    {
      streams: ['job-log', 'runner-log', 'annotation'],
      regex:
        /command terminated with (?:non-zero )?exit code\D{0,80}?(?<code>\d{1,3})\b|[Pp]od failed to come online with error|failed to create job pod|failed to run (?:script|container) step: (?!.*exit code)/,
      literals: [
        'command terminated with ',
        'od failed to come online with error',
        'failed to create job pod',
        'failed to run ',
      ],
      strength: 'medium',
      examples: {
        matches: [
          '##[error]Error: failed to run script step: Error: {"metadata":{},"status":"Failure","message":"command terminated with exit code 137","reason":"NonZeroExitCode"}',
          'Error: Error: failed to run script step: command terminated with non-zero exit code: Error executing in Docker Container: 1',
          'Error: Error: pod failed to come online with error: Error: Pod linux-x1-workflow is unhealthy with phase status Failed',
        ],
        rejects: [
          '##[error]Executing the custom container implementation failed. Please contact your self hosted runner administrator.',
        ],
      },
    },
  ],
}
