import { listCredentials } from './places.ts'
import { registryFindings } from './registry-findings.ts'
import { credentialFindings } from './secret-findings.ts'
import { buildPullView } from './view.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'

function subjectKey({ subject }: Pick<Finding, 'subject'>): string {
  return `${subject.namespace}/${subject.name}`
}

export const pullSecrets: Audit = {
  id: 'pull-secrets',
  asks: 'do the copies of the registry credential agree?',
  about:
    "Compares the copies of each pull secret, credential by credential, as digests: its registries, and whether the copies are equal. The fleet file says which copy is authoritative; without it the runners' copy is, and the controller's is the copy. Registries are matched like in the kubelet (port, glob, path, the aliases of Docker Hub), and only images of runners, listeners and controllers count. An image that can be pulled without a credential needs none.",
  reads: [
    {
      source: 'kubernetes/secrets',
      weight: 'needed',
      gives: 'the registries of a Secret, and digests of its credentials',
    },
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'images and pull secrets of runners' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'needed', gives: 'images and pull secrets of listeners' },
    { source: 'kubernetes/deployments', weight: 'needed', gives: "the controller's image and pull secrets" },
    { source: 'kubernetes/pods', weight: 'needed', gives: 'which pods wait for an image' },
    {
      source: 'kubernetes/serviceaccounts',
      weight: 'useful',
      gives: 'pull secrets that a pod gets from its service account',
    },
    {
      source: 'kubernetes/events',
      weight: 'useful',
      gives: 'why a pull failed, and which Secret the kubelet did not find',
    },
    { source: 'fleet', weight: 'useful', gives: 'which copy is authoritative' },
  ],
  classes: [
    {
      class: 'secret-match',
      severity: 'info',
      meaning: 'a copy holds the same credentials as the original',
      next: 'No action needed.',
    },
    {
      class: 'secret-drift',
      severity: 'warning',
      meaning: 'a copy holds a different credential than the original, or for other registries',
      next: 'Copy the original over it. Pods whose image is already on the node still start; the next one on a new node fails.',
    },
    {
      class: 'secret-missing',
      severity: 'warning',
      meaning: 'a pull secret is referenced or declared but does not exist; critical if a pod fails because of it',
      next: 'Copy it from a namespace that has it, or create it there.',
    },
    {
      class: 'secret-wrong-type',
      severity: 'warning',
      meaning: 'a Secret is referenced as a pull secret but has a type that the kubelet ignores, or cannot be parsed',
      next: 'Re-create it as kubernetes.io/dockerconfigjson; a type cannot be changed.',
    },
    {
      class: 'secret-not-referenced',
      severity: 'warning',
      meaning: 'a pull secret exists but nothing that should use it references it',
      next: 'Add it to imagePullSecrets of the template or the ServiceAccount.',
    },
    {
      class: 'registry-not-covered',
      severity: 'warning',
      meaning: 'a registry refuses an image of the fleet: no credential matches it, or the matching one has no access',
      next: 'Add a credential that can read this image to all copies.',
    },
  ],
  applies: ({ sets }) => sets.length > 0,
  examine: (fleet) => {
    const view = buildPullView(fleet)
    const found = [
      ...listCredentials(view).flatMap((credential) => credentialFindings(view, credential)),
      ...registryFindings(view),
    ]
    // The fleet file and a waiting pod can both show that a Secret is unused: report it once.
    const isFirst = ({ class: name, subject }: Finding, index: number): boolean =>
      name !== 'secret-not-referenced' ||
      found.findIndex((one) => one.class === name && subjectKey(one) === subjectKey({ subject })) === index
    return found.filter(isFirst)
  },
}
