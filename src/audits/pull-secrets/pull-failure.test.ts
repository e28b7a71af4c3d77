import { describe, expect, it } from 'vitest'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import { isDenial, isCausedByMissing, readPullFailure } from './pull-failure.ts'

const IMAGE = 'registry.example.com/ci/runner:403'

describe('the message of a registry', () => {
  it.each([
    ['pulling from host registry.example.com failed with status code [manifests 403]: 401 Unauthorized'],
    ['unexpected status from HEAD request to https://registry.example.com/v2/ci/runner/manifests/403: 403 Forbidden'],
    ['pull access denied, repository does not exist or may require authorization'],
    ['failed to authorize: failed to fetch oauth token: unexpected status: 401'],
    ['no basic auth credentials'],
    ['denied: requested access to the resource is denied'],
    ['insufficient_scope: authorization failed'],
  ])('are a refusal: %s', (words) => {
    expect(isDenial(words, IMAGE)).toBe(true)
  })

  it.each([
    [`failed to resolve reference "${IMAGE}": ${IMAGE}: not found`],
    ['unexpected status from HEAD request to https://forbidden.example.com/v2/401/manifests/403: 500 Server Error'],
    ['failed with status code [manifests 403]: 404 Not Found'],
    ['toomanyrequests: You have reached your unauthenticated pull rate limit'],
    ['dial tcp: lookup registry.example.com: no such host'],
    ['tls: failed to verify certificate: x509: certificate signed by unknown authority'],
    ['read tcp 10.0.4.03:40312: i/o timeout'],
    [''],
  ])('are none: %s', (words) => {
    expect(isDenial(words, IMAGE)).toBe(false)
  })
})

function buildPod(waiting: object, secrets: readonly string[] = []) {
  return readPodRecord({
    metadata: { namespace: 'arc-runners', name: 'r1', uid: 'u1' },
    spec: {
      containers: [{ name: 'runner', image: IMAGE }],
      imagePullSecrets: secrets.map((name) => ({ name })),
    },
    status: { phase: 'Pending', containerStatuses: [{ name: 'runner', image: '', state: { waiting } }] },
  })
}

const buildEvent = (reason: string, message: string, lastTimestamp = '2026-06-01T11:59:00Z') =>
  readEvent({ reason, message, lastTimestamp, involvedObject: { kind: 'Pod', name: 'r1', uid: 'u1' } })

const MISSED = buildEvent(
  'FailedToRetrieveImagePullSecret',
  'Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.',
)

describe('a pod that waits for its image', () => {
  it("shows the registry's message, from its status or the latest event", () => {
    const findings = readPullFailure(
      buildPod({
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${IMAGE}": ErrImagePull: 401 Unauthorized`,
      }),
      [],
    )
    expect([findings?.message, findings?.isDenied, findings?.registry]).toEqual([
      '401 Unauthorized',
      true,
      'registry.example.com',
    ])
    const old = buildPod({ reason: 'ImagePullBackOff', message: `Back-off pulling image "${IMAGE}"` })
    const events = [
      buildEvent('Failed', `Failed to pull image "${IMAGE}": not found`, '2026-06-01T11:50:00Z'),
      buildEvent('Failed', `Failed to pull image "${IMAGE}": 403 Forbidden`, '2026-06-01T11:58:00Z'),
      buildEvent('Failed', 'Error: ImagePullBackOff', '2026-06-01T11:59:00Z'),
    ]
    const late = readPullFailure(old, events)
    expect(late?.isDenied).toBe(true)
    expect(late?.message).toContain('403 Forbidden')
  })

  it.each([
    ['one whose container waits for something else', { reason: 'ContainerCreating' }],
    ['one that waits for a Secret', { reason: 'CreateContainerConfigError', message: 'secret "x" not found' }],
  ])('is not %s', (_, waiting) => {
    expect(readPullFailure(buildPod(waiting), [])).toBeNull()
  })

  it.each([
    ['the registry refuses it', '401 Unauthorized', [], true],
    ['the kubelet did not find the Secret and there is no message', '', [MISSED], true],
    ['the kubelet did not find the Secret and the image does not exist', 'not found', [MISSED], false],
    ['there is no message', '', [], false],
  ])('waits because a Secret is missing: %s', (_, words, events, isSo) => {
    const failure = readPullFailure(buildPod({ reason: 'ErrImagePull', message: words }, ['a']), events)
    expect(failure !== null && isCausedByMissing(failure, 'a')).toBe(isSo)
  })

  it('does not wait for a Secret that the kubelet found', () => {
    const failure = readPullFailure(buildPod({ reason: 'ErrImagePull', message: '' }, ['c']), [MISSED])
    expect(failure !== null && isCausedByMissing(failure, 'c')).toBe(false)
  })
})
