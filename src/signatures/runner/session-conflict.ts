import type { Signature } from '#/core/evidence/signature.ts'

export const sessionConflict: Signature = {
  id: 'session-conflict',
  says: 'Another session for this runner exists at GitHub.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /(?:A|The) session for this runner already exists\./,
      literals: [' session for this runner already exists.'],
      strength: 'decisive',
      examples: {
        matches: ['A session for this runner already exists.'],
        rejects: ["Skipping message Job. Job message already acquired 'x'."],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Stop retry on SessionConflictException after retried for (?<seconds>\d+) seconds/,
      literals: ['Stop retry on SessionConflictException after retried for '],
      strength: 'decisive',
      examples: {
        matches: ['Stop retry on SessionConflictException after retried for 240 seconds.'],
        rejects: ['System.OutOfMemoryException: Exception of type System.OutOfMemoryException was thrown.'],
      },
    },
    {
      streams: ['runner-log', 'controller-log', 'job-log', 'annotation'],
      regex:
        /(?:actions runner|runner scale ?set|task agent) \S.{0,200}? already has an active session|(?:TaskAgent|RunnerScaleSet)SessionConflictException|Runner connect error: Error: Conflict\b/i,
      literals: [' already has an active session', 'SessionConflictException', 'Runner connect error: Error: Conflict'],
      strength: 'decisive',
      caution: 'A listener gets it too: then another listener holds the session of the whole scale set.',
      examples: {
        matches: [
          'Application returned an error: createSession failed: failed to create session: 409 - had issue communicating with Actions backend: The runner scale set linux-8g already has an active session for owner linux-8g-754b578d-listener.',
          'Application returned an error: createSession failed: failed to create session: failed to do the session request: actions error: StatusCode 409, AcivityId "": GitHub.Actions.Runtime.WebApi.RunnerScaleSetSessionConflictException, GitHub.Actions.Runtime.WebApi: The actions runner scaleset linux-8g already has an active session.',
          '2026-06-06 21:30:14Z: Runner connect error: The actions runner linux-8g-1 already has an active session.. Retrying until reconnected.',
          '2026-06-06 21:30:14Z: Runner connect error: Error: Conflict. Retrying until reconnected.',
          'Failed to create session. The actions runner linux-8g-1 already has an active session.',
          '[ERR  BrokerMessageListener] GitHub.DistributedTask.WebApi.TaskAgentSessionConflictException: Error: Conflict',
        ],
        rejects: [
          'The user already has an active session on another terminal.',
          '2026-06-06 21:30:14Z: Runner connect error: Name or service not known (broker.actions.githubusercontent.com:443). Retrying until reconnected.',
        ],
      },
    },
  ],
}
