import type { Signature } from '#/core/evidence/signature.ts'

export const dockerDaemonGone: Signature = {
  id: 'docker-daemon-gone',
  says: 'The Docker daemon of the job does not answer.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /Cannot connect to the Docker daemon|Docker is not running|dind.*(?:exited|OOMKilled)/,
      literals: ['Cannot connect to the Docker daemon', 'Docker is not running', 'OOMKilled', 'exited'],
      strength: 'strong',
      examples: {
        matches: ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock.'],
        rejects: ['bash: fork: retry: Resource temporarily unavailable'],
      },
    },
  ],
}
