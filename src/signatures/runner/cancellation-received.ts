import type { Signature } from '#/core/evidence/signature.ts'

export const cancellationReceived: Signature = {
  id: 'cancellation-received',
  says: 'GitHub asked the runner to cancel the job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex:
        /Job cancellation request (?<request>[0-9a-f-]+) received, cancellation timeout (?<minutes>[\d.]+) minutes/,
      literals: [' received, cancellation timeout '],
      strength: 'decisive',
      examples: {
        matches: [
          '[INFO JobDispatcher] Job cancellation request 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876 received, cancellation timeout 5 minutes.',
        ],
        rejects: [
          '[RUNNER 2025-06-10 21:32:38Z INFO JobDispatcher] finish job request for job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876 with result: Succeeded',
        ],
      },
    },
    {
      streams: ['runner-log'],
      regex: /haven't exit within cancellation timout, kill running worker/,
      literals: ["haven't exit within cancellation timout, kill running worker"],
      strength: 'strong',
      examples: {
        matches: [
          "[INFO JobDispatcher] worker process for job x haven't exit within cancellation timout, kill running worker.",
        ],
        rejects: ['[INFO JobDispatcher] Job request message sending for job x been cancelled, kill running worker.'],
      },
    },
  ],
}
