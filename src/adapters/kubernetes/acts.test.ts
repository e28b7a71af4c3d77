import { describe, expect, it } from 'vitest'
import { blind } from '#/core/basics/observed.ts'
import type { ActTarget, RemovalOutcome } from '#/ports/kubernetes-acts.ts'
import type { DeleteRequest, PatchRequest, WriteOutcome } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { kubernetesActs, laneActs } from './acts.ts'

const TARGET: ActTarget = {
  kind: 'EphemeralRunner',
  namespace: 'arc-runners',
  name: 'lane-a-x7k2p-runner-9fqzt',
  uid: 'uid-1',
  resourceVersion: '42',
}
const { signal } = new AbortController()

function answering(outcome: WriteOutcome) {
  const asked: (DeleteRequest | PatchRequest)[] = []
  const answer = async (request: DeleteRequest | PatchRequest): Promise<WriteOutcome> => {
    asked.push(request)
    return outcome
  }
  return { asked, acts: kubernetesActs({ delete: answer, patch: answer }) }
}

describe('an act on the cluster', () => {
  it('names the UID and the version of what it deletes', async () => {
    const { asked, acts } = answering({ kind: 'done', object: null })
    await acts.remove(TARGET, signal)
    const { namespace, name } = TARGET
    const preconditions = { uid: 'uid-1', resourceVersion: '42' }
    expect(asked).toEqual([{ resource: RESOURCES.ephemeralRunners, namespace, name, preconditions }])
  })

  it('names the UID and the version of what it scales to 0', async () => {
    const { asked, acts } = answering({ kind: 'done', object: null })
    await acts.scaleToZero({ ...TARGET, kind: 'EphemeralRunnerSet' }, signal)
    expect(asked).toMatchObject([
      {
        resource: RESOURCES.ephemeralRunnerSets,
        preconditions: { uid: 'uid-1', resourceVersion: '42' },
        patch: { kind: 'merge', changes: { spec: { replicas: 0 } } },
      },
    ])
  })

  it.each<readonly [WriteOutcome, RemovalOutcome]>([
    [
      { kind: 'conflict', why: 'changed', message: 'modified' },
      { kind: 'changed', message: 'modified' },
    ],
    [{ kind: 'gone' }, { kind: 'gone' }],
    [
      { kind: 'forbidden', message: '403' },
      { kind: 'declined', message: '403' },
    ],
    [
      { kind: 'refused', message: 'a policy' },
      { kind: 'declined', message: 'a policy' },
    ],
    [
      { ...blind('timeout', 'no answer'), applied: 'unknown' },
      { ...blind('timeout', 'no answer'), applied: 'unknown' },
    ],
  ])('reads the answer %j as %j', async (answer, expected) => {
    expect(await answering(answer).acts.remove(TARGET, signal)).toEqual(expected)
  })
})

const VERSION = { namespace: 'n', name: 'lane', uid: 'uid-1', resourceVersion: '42' }
const PRECONDITIONS = { uid: 'uid-1', resourceVersion: '42' }

function laneAnswering(outcome: WriteOutcome) {
  const asked: (DeleteRequest | PatchRequest)[] = []
  const answer = async (request: DeleteRequest | PatchRequest): Promise<WriteOutcome> => {
    asked.push(request)
    return outcome
  }
  return { asked, acts: laneActs({ delete: answer, patch: answer }) }
}

describe('an act on a lane', () => {
  it('sets the bounds and the note about them in one patch, at the version that was judged', async () => {
    const { asked, acts } = laneAnswering({ kind: 'done', object: null })
    await acts.setCap(VERSION, { cap: { min: 0, max: null }, annotation: { key: 'k', value: null } }, signal)
    expect(asked).toMatchObject([
      {
        resource: RESOURCES.autoscalingRunnerSets,
        preconditions: PRECONDITIONS,
        patch: {
          kind: 'merge',
          changes: { metadata: { annotations: { k: null } }, spec: { minRunners: 0, maxRunners: null } },
        },
      },
    ])
  })

  it('deletes the pod of a listener at the version that was judged', async () => {
    const { asked, acts } = laneAnswering({ kind: 'done', object: null })
    await acts.recreateListener(VERSION, signal)
    expect(asked).toMatchObject([{ resource: RESOURCES.pods, name: 'lane', preconditions: PRECONDITIONS }])
  })

  const order = {
    namespace: 'n',
    name: 'pull',
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from('{"auths":{"ghcr.io":{"password":"correct-horse"}}}').toString('base64') },
    existing: PRECONDITIONS,
    force: false,
  }

  it('applies a Secret as signalbox, at the version that was compared, and forces nothing unasked', async () => {
    const { asked, acts } = laneAnswering({ kind: 'done', object: null })
    await acts.applySecret(order, signal)
    expect(asked).toMatchObject([
      { preconditions: PRECONDITIONS, patch: { kind: 'apply', fieldManager: 'signalbox', force: false } },
    ])
  })

  it('names the other field managers of a Secret', async () => {
    const message =
      'Apply failed with 2 conflicts: conflict with "external-secrets" using v1: .data..dockerconfigjson\nconflict with "helm": .type'
    const { acts } = laneAnswering({ kind: 'conflict', why: 'changed', message })
    expect(await acts.applySecret(order, signal)).toEqual({ kind: 'owned', managers: ['external-secrets', 'helm'] })
  })

  it.each([
    ['a webhook refused correct-horse', false],
    [
      `a webhook refused ${Buffer.from('{"auths":{"ghcr.io":{"password":"correct-horse"}}}').toString('base64')}`,
      false,
    ],
    ['secrets "pull" is forbidden: User "someone" cannot patch resource "secrets"', true],
  ])('shows the answer %s only if it quotes nothing of the Secret', async (message, isShown) => {
    const { acts } = laneAnswering({ kind: 'refused', message })
    const outcome = await acts.applySecret(order, signal)
    expect(outcome).toMatchObject({ kind: 'declined' })
    expect(JSON.stringify(outcome).includes(JSON.stringify(message).slice(1, -1))).toBe(isShown)
  })

  it('hides a quotation in the answer of a server that failed as well', async () => {
    const { reason } = blind('server-error', 'Internal error: a webhook failed on correct-horse')
    const { acts } = laneAnswering({ kind: 'blind', reason, applied: 'unknown' })
    const outcome = await acts.applySecret(order, signal)
    expect(outcome).toMatchObject({ kind: 'blind', applied: 'unknown' })
    expect(JSON.stringify(outcome)).not.toContain('horse')
  })
})
