import type { Signature } from '#/core/evidence/signature.ts'

export const jobAssigned: Signature = {
  id: 'job-assigned',
  says: 'GitHub names the runner that is about to run the job.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex:
        /Job is about to start running on the runner: (?<runner>\S+) \((?<scope>repository|organization|enterprise)\)/,
      literals: ['Job is about to start running on the runner: '],
      strength: 'context',
      examples: {
        matches: ['Job is about to start running on the runner: vpay-mo066inflrun01 (organization)'],
        rejects: ['The job running on runner x has exceeded the maximum execution time of 360 minutes.'],
      },
    },
  ],
}
