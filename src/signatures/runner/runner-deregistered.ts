import type { Signature } from '#/core/evidence/signature.ts'

export const runnerDeregistered: Signature = {
  id: 'runner-deregistered',
  says: 'The runner registration is gone at GitHub.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex:
        /The runner registration has been (?:deleted from the server|removed from the service side), please re-configure/,
      literals: [
        'The runner registration has been deleted from the server, please re-configure',
        'The runner registration has been removed from the service side, please re-configure',
      ],
      strength: 'decisive',
      examples: {
        matches: [
          'Failed to create a session. The runner registration has been deleted from the server, please re-configure. Runner registrations are automatically deleted for runners that have not connected to the service recently.',
        ],
        rejects: [
          'You are running out of disk space. The runner will stop working when the machine runs out of disk space. Free space left: 72 MB',
        ],
      },
    },
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /The runner no longer exists on the server\./,
      literals: ['The runner no longer exists on the server.'],
      strength: 'decisive',
      examples: {
        matches: ['The runner no longer exists on the server. Cleaning up local configuration.'],
        rejects: ['[INFO Runner] Runner registration no longer exists while retrieving messages. Runner not found'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Runner registration no longer exists while retrieving messages/,
      literals: ['Runner registration no longer exists while retrieving messages'],
      strength: 'decisive',
      examples: {
        matches: ['[INFO Runner] Runner registration no longer exists while retrieving messages. Runner not found'],
        rejects: ['[INFO Listener] Runner execution has finished with return code 0'],
      },
    },
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /\bRegistration (?:[0-9a-f-]{36} )?was not found\b|Client registration not found/,
      literals: ['was not found', 'Client registration not found'],
      strength: 'decisive',
      examples: {
        matches: [
          'GitHub.Services.OAuth.VssOAuthTokenRequestException: Registration was not found or is not medium trust. ClientType: ',
          '2026-06-06 21:30:14Z: Runner connect error: Registration 8a1f1e0c-2f0f-4a3b-9a0e-0d8b8a1f1e0c was not found.. Retrying until reconnected.',
        ],
        rejects: ['The template was not found.', 'Registration token was not found in the environment.'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Runner OAuth token has been revoked\./,
      literals: ['Runner OAuth token has been revoked.'],
      strength: 'strong',
      examples: {
        matches: ['[INFO MessageListener] Runner OAuth token has been revoked. Unable to pull message.'],
        rejects: ['[INFO Listener] Runner execution been cancelled.'],
      },
    },
  ],
}
