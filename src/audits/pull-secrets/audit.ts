import { credentialsOf } from './places.ts'
import { registryFindings } from './registry-findings.ts'
import { credentialFindings } from './secret-findings.ts'
import { stageOf } from './stage.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'

function placeOf({ subject }: Pick<Finding, 'subject'>): string {
  return `${subject.namespace}/${subject.name}`
}

export const pullSecrets: Audit = {
  id: 'pull-secrets',
  asks: 'do the copies of the registry credential agree?',
  about:
    "Compares the copies of each pull secret credential by credential, as digests: which registries it is for, and whether the copies hold the same. The fleet file says whose copy is right; without it the runners' is, and the controller's is the copy. Registries are matched as the kubelet does it (port, glob, path, the names of Docker Hub), and only the images of runners, listeners and controllers count. An image that is pulled well without a credential needs none.",
  reads: [
    { source: 'kubernetes/secrets', weight: 'needed', tells: 'which registries a Secret is for, and the digests' },
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', tells: 'images and pull secrets of runners' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'needed', tells: 'images and pull secrets of listeners' },
    { source: 'kubernetes/deployments', weight: 'needed', tells: "the controller's image and pull secrets" },
    { source: 'kubernetes/pods', weight: 'needed', tells: 'which pods wait for an image' },
    {
      source: 'kubernetes/serviceaccounts',
      weight: 'useful',
      tells: 'pull secrets that a pod gets without naming them',
    },
    { source: 'kubernetes/events', weight: 'useful', tells: 'why a pull failed, and which Secret the kubelet missed' },
    { source: 'fleet', weight: 'useful', tells: 'whose copy is right' },
  ],
  classes: [
    {
      class: 'secret-match',
      severity: 'info',
      meaning: 'a copy holds the same credentials as the original',
      next: 'Nothing has to be done.',
    },
    {
      class: 'secret-drift',
      severity: 'warning',
      meaning: 'a copy holds another credential than the original, or for other registries',
      next: 'Copy the original over it. A pod that finds its image on the node does not notice; the next one on a fresh node fails.',
    },
    {
      class: 'secret-missing',
      severity: 'warning',
      meaning: 'a pull secret is named or declared and is not there; critical where a pod fails for it',
      next: 'Copy it from a namespace that has it, or make it there.',
    },
    {
      class: 'secret-wrong-type',
      severity: 'warning',
      meaning: 'a Secret is named as a pull secret and is of a type that the kubelet passes over, or cannot be parsed',
      next: 'Make it again as kubernetes.io/dockerconfigjson; a type cannot be changed.',
    },
    {
      class: 'secret-not-referenced',
      severity: 'warning',
      meaning: 'a pull secret is there and nobody who should use it names it',
      next: 'Name it in imagePullSecrets of the template or of the ServiceAccount.',
    },
    {
      class: 'registry-not-covered',
      severity: 'warning',
      meaning:
        'a registry refuses an image of the fleet: no credential fits it, or the one that fits is not good enough',
      next: 'Add a credential that may read this image, to all copies.',
    },
  ],
  applies: ({ sets }) => sets.length > 0,
  examine: (fleet) => {
    const stage = stageOf(fleet)
    const found = [
      ...credentialsOf(stage).flatMap((credential) => credentialFindings(stage, credential)),
      ...registryFindings(stage),
    ]
    // One Secret may be unused by the fleet file's word and by a pod's.
    const isFirst = ({ class: name, subject }: Finding, index: number): boolean =>
      name !== 'secret-not-referenced' ||
      found.findIndex((one) => one.class === name && placeOf(one) === placeOf({ subject })) === index
    return found.filter(isFirst)
  },
}
