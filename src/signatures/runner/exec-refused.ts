import type { Signature } from '#/core/evidence/signature.ts'

export const execRefused: Signature = {
  id: 'exec-refused',
  says: 'The kernel refused to execute the command of the container.',
  patterns: [
    {
      streams: ['runner-log'],
      regex:
        /^(?:\{"msg":")?(?:standard_init_linux\.go:\d+: )?exec (?:user process caused:? |container process )?["'`]?(?<command>\/[^"'`:]{1,300})?["'`]?(?:: )?"?(?<why>exec format error|no such file or directory|permission denied)"?/i,
      literals: ['exec format error', 'no such file or directory', 'permission denied'],
      strength: 'decisive',
      caution: 'A step can print such a line too: it counts only as the last word of a container that ended at once.',
      examples: {
        matches: [
          'exec /usr/bin/dumb-init: exec format error',
          'exec /home/runner/run.sh: no such file or directory',
          'standard_init_linux.go:228: exec user process caused: exec format error',
          'standard_init_linux.go:211: exec user process caused "exec format error"',
          'exec container process `/home/runner/run.sh`: Exec format error',
          '{"msg":"exec container process `/home/runner/run.sh`: Exec format error","level":"error"}',
        ],
        rejects: [
          'cat: /etc/missing: No such file or directory',
          'exec /home/runner/run.sh',
          'fork/exec /usr/bin/node: exec format error in the build of the user',
        ],
      },
    },
    {
      streams: ['runner-log'],
      regex:
        /^\S+: (?:line \d+: )?(?<command>\/\S{1,300}): cannot execute(?: binary file)?: (?<why>Exec format error|required file not found)/,
      literals: [': cannot execute'],
      strength: 'decisive',
      caution: 'A step can print such a line too: it counts only as the last word of a container that ended at once.',
      examples: {
        matches: [
          '/home/runner/run-helper.sh: line 36: /home/runner/bin/Runner.Listener: cannot execute binary file: Exec format error',
        ],
        rejects: ['/home/runner/run.sh: line 3: node: command not found'],
      },
    },
  ],
}
