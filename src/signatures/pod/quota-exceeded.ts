import type { Signature } from '#/core/evidence/signature.ts'

export const quotaExceeded: Signature = {
  id: 'quota-exceeded',
  says: 'The quota of the namespace refused a pod.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedCreate'],
      regex:
        /^(?:\(combined from similar events\): )?(?:Error creating|[Cc]reate Pod \S{1,253} in StatefulSet \S{1,253} failed error): pods "(?<pod>[^"]+)" is forbidden: exceeded quota: (?<quota>[^,]+), requested: /,
      literals: ['" is forbidden: exceeded quota: '],
      strength: 'decisive',
      examples: {
        matches: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: exceeded quota: ci, requested: requests.cpu=2, used: requests.cpu=7, limited: requests.cpu=8',
          'create Pod linux-8g-0 in StatefulSet linux-8g failed error: pods "linux-8g-0" is forbidden: exceeded quota: ci, requested: pods=1, used: pods=0, limited: pods=0',
        ],
        rejects: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: error looking up service account ci/runner: serviceaccount "runner" not found',
        ],
      },
    },
    {
      streams: ['event'],
      reasons: ['FailedCreate'],
      regex:
        /^(?:\(combined from similar events\): )?(?:Error creating|[Cc]reate Pod \S{1,253} in StatefulSet \S{1,253} failed error): pods "(?<pod>[^"]+)" is forbidden: (?<why>status unknown) for quota: (?<quota>[^,]+), resources: /,
      literals: ['" is forbidden: status unknown for quota: '],
      strength: 'strong',
      caution: 'The quota is new, or its usage is not counted: the owner retries.',
      examples: {
        matches: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: status unknown for quota: ci, resources: pods',
        ],
        rejects: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: error looking up service account ci/runner: serviceaccount "runner" not found',
        ],
      },
    },
    {
      streams: ['controller-log'],
      regex: /Resource quota is exceeded; requeue in 30s/,
      literals: ['Resource quota is exceeded; requeue in 30s'],
      strength: 'decisive',
      examples: {
        matches: ['Resource quota is exceeded; requeue in 30s to retry pod creation'],
        rejects: ['Waiting for the running and pending runners to finish'],
      },
    },
  ],
}
