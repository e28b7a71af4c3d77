import type { Signature } from '#/core/evidence/signature.ts'

export const runnerStopRequested: Signature = {
  id: 'runner-stop-requested',
  says: 'The runner received a stop signal.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Runner will be shutdown for (?<why>UserCancelled|OperatingSystemShutdown)/,
      literals: ['Runner will be shutdown for '],
      strength: 'decisive',
      examples: {
        matches: ['[INFO HostContext] Runner will be shutdown for UserCancelled'],
        rejects: ['[INFO Listener] Runner execution been cancelled.'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /^Exiting\.\.\.$/,
      literals: ['Exiting...'],
      strength: 'strong',
      caution: 'Printed for both Ctrl-C and SIGTERM.',
      examples: {
        matches: ['Exiting...'],
        rejects: ['Exiting with unknown error code: 137'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Runner execution been cancelled\./,
      literals: ['Runner execution been cancelled.'],
      strength: 'strong',
      examples: {
        matches: ['[INFO Listener] Runner execution been cancelled.'],
        rejects: ['[INFO Listener] Runner execution has finished with return code 0'],
      },
    },
  ],
}
