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
    {
      streams: ['controller-log'],
      regex:
        /pods \\?"(?<pod>[^"\\]+)\\?" is forbidden: (?<why>(?:violates PodSecurity|\[?(?:maximum|minimum) |\[?\w+ max limit to request ratio|error looking up service account|ValidatingAdmissionPolicy |unable to validate against any security context constraint).{0,300})/,
      literals: [' is forbidden: '],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`ERROR EphemeralRunner Failed to create pod resource for ephemeral runner. {"error": "failed to create ephemeral runner pod: pods \"linux-8g-runner-q2x7d\" is forbidden: violates PodSecurity \"restricted:latest\": privileged (container \"dind\" must not set securityContext.privileged=true)"}`,
        ],
        rejects: [
          String.raw`ERROR EphemeralRunner Failed to create a pod {"error": "pods \"linux-8g-runner-q2x7d\" is forbidden: exceeded quota: ci, requested: pods=1, used: pods=9, limited: pods=9"}`,
        ],
      },
    },
    {
      streams: ['event'],
      reasons: ['FailedCreate'],
      regex:
        /admission webhook "(?<webhook>[^"]{1,253})" denied the request(?: without explanation|: (?<said>.{1,300}))/s,
      literals: [' denied the request'],
      strength: 'decisive',
      examples: {
        matches: [
          'Error creating: admission webhook "validation.gatekeeper.sh" denied the request: [ci-no-latest] container <runner> uses the tag latest',
          'create Pod linux-8g-0 in StatefulSet linux-8g failed error: admission webhook "vpod.example.com" denied the request without explanation',
        ],
        rejects: [
          'Error creating: Internal error occurred: failed calling webhook "validation.gatekeeper.sh": failed to call webhook: context deadline exceeded',
        ],
      },
    },
    {
      streams: ['controller-log'],
      regex:
        /admission webhook \\?"(?<webhook>[^"\\]{1,253})\\?" denied the request(?: without explanation|: (?<said>.{1,300}))/s,
      literals: [' denied the request'],
      strength: 'decisive',
      caution: 'It counts only while there is no pod: a webhook can also refuse a change of one.',
      examples: {
        matches: [
          String.raw`ERROR EphemeralRunner Failed to create pod resource for ephemeral runner. {"error": "failed to create ephemeral runner pod: admission webhook \"validate.kyverno.svc-fail\" denied the request: \n\nresource Pod/ci/linux-8g-runner-q2x7d was blocked due to the following policies"}`,
          'admission webhook "validation.gatekeeper.sh" denied the request: [ci-no-latest] container <runner> uses the tag latest',
        ],
        rejects: [
          'Internal error occurred: failed calling webhook "validation.gatekeeper.sh": failed to call webhook: context deadline exceeded',
        ],
      },
    },
    {
      streams: ['event'],
      reasons: ['PolicyViolation'],
      regex: /^Pod (?<pod>\S{1,500}): \[(?<rule>[^\]]{1,253})\] (?:fail|error) \(blocked\)(?:; (?<said>.{1,300}))?/s,
      literals: ['(blocked)'],
      strength: 'decisive',
      caution: 'Without "(blocked)" Kyverno only reports it, and the pod is admitted.',
      examples: {
        matches: [
          'Pod ci/linux-8g-runner-q2x7d: [verify-image] fail (blocked); image attestations verification failed',
        ],
        rejects: ['Pod ci/linux-8g-runner-q2x7d: [require-labels] fail; validation error: label team is required'],
      },
    },
  ],
}
