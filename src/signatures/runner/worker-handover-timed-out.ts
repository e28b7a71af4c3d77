import type { Signature } from '#/core/evidence/signature.ts'

export const workerHandoverTimedOut: Signature = {
  id: 'worker-handover-timed-out',
  says: 'The listener could not hand the job to its worker in time.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Job request message sending for job \S+ been cancelled, kill running worker/,
      literals: ['Job request message sending for job '],
      strength: 'medium',
      examples: {
        matches: ['[INFO JobDispatcher] Job request message sending for job x been cancelled, kill running worker.'],
        rejects: [
          "[INFO JobDispatcher] worker process for job x haven't exit within cancellation timout, kill running worker.",
        ],
      },
    },
  ],
}
