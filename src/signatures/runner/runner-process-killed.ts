import type { Signature } from '#/core/evidence/signature.ts'

export const runnerProcessKilled: Signature = {
  id: 'runner-process-killed',
  says: 'A signal ended the runner process inside the container.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /^Exiting with unknown error code: (?<code>\d+)$/,
      literals: ['Exiting with unknown error code: '],
      strength: 'decisive',
      caution: 'The container still exits with 0: run-helper.sh hides the code.',
      examples: {
        matches: ['Exiting with unknown error code: 137'],
        rejects: ['Runner listener exit with 0 return code, stop the service, no retry needed.'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /run-helper\.sh: line \d+: +\d+ (?<signal>Killed|Segmentation fault|Aborted|Terminated|Bus error)/,
      literals: ['run-helper.sh: line '],
      strength: 'decisive',
      examples: {
        matches: [
          '/home/runner/run-helper.sh: line 36: 11580 Killed                  "$DIR"/bin/Runner.Listener run $*',
        ],
        rejects: [
          'Failed to create a session. The runner registration has been deleted from the server, please re-configure. Runner registrations are automatically deleted for runners that have not connected to the service recently.',
        ],
      },
    },
  ],
}
