import type { Signature } from '#/core/evidence/signature.ts'

export const podRefused: Signature = {
  id: 'pod-refused',
  says: 'The API server refused the pod spec: a limit of the namespace, a policy, a missing service account.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedCreate'],
      regex:
        /^(?:\(combined from similar events\): )?(?:Error creating|[Cc]reate Pod \S{1,253} in StatefulSet \S{1,253} failed error): pods "(?<pod>[^"]+)" is forbidden: (?<why>(?:violates PodSecurity|\[?(?:maximum|minimum) |\[?\w+ max limit to request ratio|error looking up service account|ValidatingAdmissionPolicy |unable to validate against any security context constraint).{0,300})/,
      literals: ['" is forbidden: '],
      strength: 'decisive',
      examples: {
        matches: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: error looking up service account ci/runner: serviceaccount "runner" not found',
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: violates PodSecurity "restricted:latest": privileged (container "dind" must not set securityContext.privileged=true)',
          'create Pod linux-8g-0 in StatefulSet linux-8g failed error: pods "linux-8g-0" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
          "Error creating: pods \"linux-8g-runner-q2x7d\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'ci' denied request: images need a digest",
        ],
        rejects: [
          'Error creating: pods "linux-8g-runner-q2x7d" is forbidden: exceeded quota: ci, requested: requests.cpu=2, used: requests.cpu=7, limited: requests.cpu=8',
        ],
      },
    },
  ],
}
