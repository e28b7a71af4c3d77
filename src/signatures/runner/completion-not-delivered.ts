import type { Signature } from '#/core/evidence/signature.ts'

export const completionNotDelivered: Signature = {
  id: 'completion-not-delivered',
  says: 'The runner could not report the end of the job to GitHub.',
  patterns: [
    {
      streams: ['runner-log'],
      regex:
        /(?:Catch exception|\w{1,80}Exception received,) while attempting to (?:complete job|raise JobCompletedEvent for job) (?<request>[0-9a-f-]+)|Catch exception during complete runner jobrequest (?<number>\d+)/,
      literals: [' while attempting to ', 'Catch exception during complete runner jobrequest '],
      strength: 'strong',
      examples: {
        matches: [
          '[ERR  JobRunner] Catch exception while attempting to complete job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876, job request 0.',
        ],
        rejects: ['[ERR  JobDispatcher] Catch exception during renew runner job 55a0cdf0.'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Fail to raise (?:job completion|JobCompletedEvent) back to service/,
      literals: [' back to service'],
      strength: 'strong',
      examples: {
        matches: ['[ERR  JobDispatcher] Fail to raise job completion back to service.'],
        rejects: [
          '[INFO JobDispatcher] Unable to renew job request for job 55a0 for the first time, stop dispatching job to worker.',
        ],
      },
    },
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /Failed to complete job: (?<why>.+)/,
      literals: ['Failed to complete job: '],
      strength: 'strong',
      examples: {
        matches: ['System.Exception: Failed to complete job: Service Unavailable. {...}'],
        rejects: ['[ERR  JobDispatcher] Fail to raise job completion back to service.'],
      },
    },
  ],
}
