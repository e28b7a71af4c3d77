import type { Signature } from '#/core/evidence/signature.ts'

export const quotaExceeded: Signature = {
  id: 'quota-exceeded',
  says: 'The quota of the namespace refused a pod.',
  patterns: [
    {
      streams: ['event', 'controller-log', 'runner-log', 'job-log', 'annotation'],
      regex:
        /pods \\?"(?<pod>[^"\\]+)\\?" is forbidden: (?:exceeded quota: (?<quota>[^,]+), requested: |(?<why>status unknown) for quota: (?<unknown>[^,]+), resources: |failed quota: (?<failed>[^:]+): (?<lacks>must specify [^"\\]{1,300})|insufficient quota to (?:consume|match))/,
      literals: ['is forbidden: '],
      strength: 'decisive',
      examples: {
        matches: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: exceeded quota: ci, requested: requests.cpu=2, used: requests.cpu=7, limited: requests.cpu=8',
          'create Pod linux-8g-0 in StatefulSet linux-8g failed error: pods "linux-8g-0" is forbidden: exceeded quota: ci, requested: pods=1, used: pods=0, limited: pods=0',
          '(combined from similar events): Error creating: pods "linux-8g-runner-q2x7d" is forbidden: status unknown for quota: ci, resources: pods',
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: failed quota: ci: must specify limits.memory for: dind',
          String.raw`ERROR EphemeralRunner Failed to create a pod due to unrecoverable failure {"error": "pods \"linux-8g-runner-q2x7d\" is forbidden: failed quota: ci: must specify limits.memory"}`,
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [high]}]',
        ],
        rejects: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: error looking up service account ci/runner: serviceaccount "runner" not found',
        ],
      },
    },
    {
      streams: ['controller-log'],
      regex: /Resource quota is exceeded; requeue in |due to resource quota exceeded and the ephemeral runner/,
      literals: ['Resource quota is exceeded; requeue in ', 'due to resource quota exceeded and the ephemeral runner'],
      strength: 'decisive',
      examples: {
        matches: ['Resource quota is exceeded; requeue in 30s to retry pod creation'],
        rejects: ['Waiting for the running and pending runners to finish'],
      },
    },
  ],
}
