import type { Signature } from '#/core/evidence/signature.ts'

export const workFolderInvalid: Signature = {
  id: 'work-folder-invalid',
  says: 'The runner cannot use its work folder.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /Fail to create and validate runner's work directory '(?<path>[^']+)'/,
      literals: ["Fail to create and validate runner's work directory '"],
      strength: 'decisive',
      examples: {
        matches: ["Fail to create and validate runner's work directory '/home/runner/_work'."],
        rejects: ["[INFO Runner] Acknowledge returned job-not-found for ephemeral runner request 'x'. Exiting runner."],
      },
    },
  ],
}
