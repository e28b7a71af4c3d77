import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { waiting } from '#/core/why/weighing/not-started.ts'
import { thePod, clueField, upper } from '#/core/why/wording.ts'

const PULL =
  /^(?:ErrImagePull|ImagePullBackOff|ImageInspectError|ErrImageNeverPull|RegistryUnavailable|InvalidImageName|SignatureValidationFailed)$/

const UNREACHED =
  /no such host|dial tcp|i\/o timeout|connection refused|network is unreachable|no route to host|TLS handshake timeout|context deadline exceeded/i

export const imagePull: Cause = {
  id: 'image-pull',
  kind: 'never-started',
  meaning: 'the image could not be pulled; a Pending pod often hides it',
  distinguishedBy:
    'The pod was scheduled, so capacity is not the problem. The waiting reason of the container has the error and outlives the events.',
  settledBy: ['kubernetes/pods', 'kubernetes/events'],
  isProvenByStatus: true,
  weigh: (d) => [
    ...supports(0.97, waiting(d, PULL)),
    ...supports(WEIGHT.decisive, d.subjectClues('image-pull-failed')),
    ...supports(
      0.9,
      d.subjectClues('container-start-refused').filter(({ fields }) => PULL.test(fields['why'] ?? '')),
    ),
    ...supports(
      0.85,
      d.subjectClues('kubelet-backs-off').filter(({ text }) => /pulling image/i.test(text)),
    ),
    ...supports(
      0.9,
      d.subjectClues('task-start-failed').filter(({ text }) => /ErrImagePull|ImagePullBackOff/.test(text)),
    ),
    ...contradicts(d.ran),
  ],
  sentence: (d) =>
    `${upper(thePod(d))} never started: its image ${clueField(d, 'image-pull-failed', 'image') ?? ''} could not be pulled.`.replace(
      '  ',
      ' ',
    ),
  next: (d) => {
    const why = [...waiting(d, PULL), ...d.subjectClues('image-pull-failed')].map(({ text }) => text).join(' ')
    if (/40[13]|unauthori[sz]ed|denied|insufficient_scope/i.test(why))
      return ['The registry refuses the credential: check imagePullSecrets of the pod and of its service account.']
    if (/x509|certificate/i.test(why))
      return ['The node does not trust the registry certificate: add its CA to the container runtime of the nodes.']
    if (UNREACHED.test(why))
      return [
        'The node cannot reach the registry: check the host in the image name, and DNS, proxy and firewall of the node.',
      ]
    if (/not found|manifest unknown|404/i.test(why))
      return [
        'The registry does not have this image or tag: check the name in the scale set, and that the tag was pushed.',
      ]
    if (/toomanyrequests|429/i.test(why)) return ['The registry limits the pull rate: use a credential or a mirror.']
    return ['Pull the image by hand on the node to see the registry error, then check name, credential and network.']
  },
}
