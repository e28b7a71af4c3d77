import { describe, expect, it } from 'vitest'
import { GUARD_LABELS } from '#/core/guard/manifests.ts'
import type { DeleteRequest, Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { removeGuardObject } from './remove-guard.ts'

function makeBudget(labels: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name: 'signalbox-guard', namespace: 'runners', uid: 'u1', resourceVersion: '7', labels }
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata }
}

async function remove(object: KubeObject) {
  const requests: DeleteRequest[] = []
  const kubernetes: Pick<Kubernetes, 'delete'> = {
    delete: async (request) => (requests.push(request), { kind: 'done', object: null }),
  }
  const guard = { kind: 'PodDisruptionBudget', object } as const
  const outcome = await removeGuardObject(kubernetes, guard, new AbortController().signal)
  return { outcome, requests }
}

describe('removing an object of the guard', () => {
  it('deletes the version that was read', async () => {
    const { outcome, requests } = await remove(makeBudget({ ...GUARD_LABELS }))
    expect(outcome.kind).toBe('done')
    expect(requests).toMatchObject([
      { name: 'signalbox-guard', namespace: 'runners', preconditions: { uid: 'u1', resourceVersion: '7' } },
    ])
  })

  it.each([{}, { 'app.kubernetes.io/name': 'signalbox-guard' }])('refuses one of somebody else: %j', async (labels) => {
    const { outcome, requests } = await remove(makeBudget(labels))
    expect([outcome.kind, requests]).toEqual(['refused', []])
  })
})
