import type { Signature } from '#/core/evidence/signature.ts'

export const lostCommunication: Signature = {
  id: 'lost-communication',
  says: 'GitHub lost contact with the runner. It does not say why.',
  patterns: [
    {
      streams: ['annotation', 'job-log'],
      regex:
        /The self-hosted runner(?:: (?<runner>\S+))? lost communication with the server\. Verify the machine is running and has a healthy network connection\./,
      literals: [
        ' lost communication with the server. Verify the machine is running and has a healthy network connection.',
      ],
      strength: 'decisive',
      caution: 'GitHub only reports silence; it names no cause.',
      examples: {
        matches: [
          'The self-hosted runner: POD-NAME lost communication with the server. Verify the machine is running and has a healthy network connection. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.',
        ],
        rejects: [
          'The hosted runner: GitHub Actions 4 lost communication with the server. Anything in your workflow that terminates the runner process can cause this error.',
        ],
      },
    },
    {
      streams: ['annotation', 'job-log'],
      regex: /The hosted runner: .+ lost communication with the server\./,
      literals: [' lost communication with the server.'],
      strength: 'decisive',
      caution: 'GitHub only reports silence; it names no cause.',
      examples: {
        matches: ['The hosted runner: GitHub Actions 9 lost communication with the server. Anything in your workflow'],
        rejects: [
          'The self-hosted runner: POD-NAME lost communication with the server. Verify the machine is running and has a healthy network connection. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.',
        ],
      },
    },
  ],
}
