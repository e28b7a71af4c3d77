import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import { listCopies, planCopy } from './plan-copy.ts'
import { findStuckListeners, judgeStuck } from './stuck-listener.ts'

const digest = (bytes: Uint8Array): string => `${bytes.length}`.padStart(64, '0')
const TYPE = 'kubernetes.io/dockerconfigjson'
const secret = (value: string, type = TYPE) => ({ type, data: { '.dockerconfigjson': value } })

describe('a declared copy', () => {
  it('goes from the original to each namespace', () => {
    const declared = [
      { name: 'p', authoritative: { namespace: 'a' }, copies: [{ namespace: 'b' }, { namespace: 'c' }] },
    ]
    expect(listCopies(declared)).toEqual([
      { name: 'p', from: 'a', to: 'b' },
      { name: 'p', from: 'a', to: 'c' },
    ])
  })

  it.each([
    ['equal', seen(secret('x')), seen(secret('x')), 'same'],
    ['missing', seen(secret('x')), none(), 'create'],
    ['different', seen(secret('x')), seen(secret('yy')), 'update'],
    ['of another type', seen(secret('x')), seen(secret('x', 'Opaque')), 'refused'],
    ['without an original', none(), seen(secret('x')), 'refused'],
    ['of something that is no pull secret', seen(secret('x', 'Opaque')), none(), 'refused'],
    ['of an original that could not be read', blind('forbidden', '403'), none(), 'blind'],
    ['that could not be read', seen(secret('x')), blind('forbidden', '403'), 'blind'],
  ] as const)('that is %s: plan', (_, original, copy, kind) => {
    expect(planCopy(original, copy, digest).kind).toBe(kind)
  })

  it('is planned without any of its value', () => {
    const plan = planCopy(seen(secret('correct-horse')), seen(secret('battery-staple')), digest)
    expect(JSON.stringify(plan)).not.toMatch(/horse|staple/)
  })
})

function listener(state: object, more: object = {}) {
  return {
    metadata: {
      namespace: 's',
      name: 'l',
      uid: 'u',
      labels: { 'app.kubernetes.io/component': 'runner-scale-set-listener' },
      ownerReferences: [{ kind: 'AutoscalingListener', name: 'l', uid: 'o' }],
      ...more,
    },
    spec: { imagePullSecrets: [{ name: 'pull' }], containers: [{ name: 'listener' }] },
    status: { containerStatuses: [{ name: 'listener', restartCount: 0, ...state }] },
  }
}

const waits = (reason: string) => ({ state: { waiting: { reason } } })

describe('a listener that waits for its image', () => {
  it.each([
    ['ImagePullBackOff', listener(waits('ImagePullBackOff')), []],
    ['ErrImagePull', listener(waits('ErrImagePull')), []],
    ['a wrong name, which no credential heals', listener(waits('InvalidImageName')), ['stuck-in-pull']],
    [
      'it runs',
      listener({ state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }),
      ['stuck-in-pull', 'never-began'],
    ],
    [
      'it is going already',
      listener(waits('ErrImagePull'), { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ['stuck-in-pull'],
    ],
    ['another pod', listener(waits('ErrImagePull'), { labels: {} }), ['is-listener']],
    ['nobody would make it again', listener(waits('ErrImagePull'), { ownerReferences: [] }), ['is-listener']],
    [
      'it ran before',
      listener({
        ...waits('ErrImagePull'),
        lastState: { terminated: { startedAt: '2026-01-01T00:00:00Z', exitCode: 1 } },
      }),
      ['never-began'],
    ],
  ])('%s: refused by %j', (_, pod, refused) => {
    const proofs = judgeStuck(readPodRecord(pod))
    expect(proofs.filter(({ holds }) => holds !== true).map(({ gate }) => gate)).toEqual(refused)
  })

  it('is proposed only if it uses one of the Secrets', () => {
    const pods = [listener(waits('ErrImagePull'))]
    expect(findStuckListeners(pods, new Set(['s/pull']))).toMatchObject([{ name: 'l', reason: 'ErrImagePull' }])
    expect(findStuckListeners(pods, new Set(['other/pull', 's/else']))).toEqual([])
  })
})
