import type { Signature } from '#/core/evidence/signature.ts'

export const ownKill: Signature = {
  id: 'own-kill',
  says: 'The script of the job kills processes itself: by timeout, kill, or a watchdog of its own.',
  patterns: [
    {
      streams: ['job-log'],
      regex:
        /(?:^|[\s;&|(`])(?:timeout (?:-\S{1,30} (?:\d+[smhd]? )?){0,4}\d+(?:\.\d+)?[smhd]? \S|kill -(?:9|15|s ?KILL|KILL|SIGKILL|TERM|SIGTERM) |pkill |killall )|timeout: sending signal \w+ to command/,
      literals: ['timeout ', 'timeout: sending signal ', 'kill -', 'pkill ', 'killall '],
      strength: 'medium',
      caution: 'GitHub prints the whole script of a step: that it contains a kill does not show that it ran.',
      examples: {
        matches: [
          '/home/runner/_work/_temp/4c4b1796.sh: line 1:  1251 Killed                  timeout --signal=KILL 15m ./build/soak --rate max',
          "timeout: sending signal KILL to command './build/soak'",
          'kill -9 $$',
          '( sleep 600; kill -KILL $PID ) &',
        ],
        rejects: ['Timeout 30 exceeded while waiting for the server', 'Error: timeout of 2000ms exceeded'],
      },
    },
    {
      streams: ['job-log'],
      regex:
        /\b(?:watchdog|hang detector|deadman)\b.{0,80}?\b(?:kill|abort|terminat|expired|timed? ?out)|sending SIGKILL to (?:process|pid|child)|panic: test timed out after /i,
      literals: ['watchdog', 'hang detector', 'deadman', 'sending SIGKILL to ', 'panic: test timed out after '],
      strength: 'medium',
      examples: {
        matches: ['[watchdog] no output for 600 s, killing process group 4411', 'panic: test timed out after 10m0s'],
        rejects: ['watchdog started, limit 600 s'],
      },
    },
  ],
}
