import type { Signature } from '#/core/evidence/signature.ts'

export const osShutdownAnnotated: Signature = {
  id: 'os-shutdown-annotated',
  says: 'The runner reported to GitHub that its operating system shut down.',
  patterns: [
    {
      streams: ['annotation', 'job-log'],
      regex: /Operating system is shutting down for computer '(?<computer>[^']+)'/,
      literals: ["Operating system is shutting down for computer '"],
      strength: 'decisive',
      examples: {
        matches: ["Operating system is shutting down for computer 'ip-10-0-0-1'"],
        rejects: ['Waiting for a runner to pick up this job...'],
      },
    },
  ],
}
