import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { buildGuard } from '#/core/guard/manifests.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { removeGuard } from './remove-steps.ts'

const { signal } = new AbortController()

type Place = Awaited<ReturnType<Kubernetes['get']>>

const namespace = (deleting: { readonly deletionTimestamp?: string } = {}): Place =>
  seen({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b', uid: 'b', resourceVersion: '1', ...deleting } })

/** A cluster whose guard is for these namespaces; `place` is what it answers about one of them. */
function guarding(guarded: readonly string[], place: Place = namespace()) {
  const objects = buildGuard({ mode: 'deny', namespaces: guarded }).map(({ metadata, kind, spec }, index) => {
    const { name, namespace, labels } = metadata
    return { kind, spec, metadata: { name, namespace, labels, uid: `u${index}`, resourceVersion: '1' } }
  })
  const deleted: string[] = []
  const kubernetes = {
    list: async ({ resource, namespace }: Parameters<Kubernetes['list']>[0]) => {
      const kind = resource.plural.replace(/ies$/u, 'y').replace(/s$/u, '')
      const own = objects.filter((one) => one.kind.toLowerCase() === kind && one.metadata.namespace === namespace)
      return own.length === 0 ? none() : seen({ items: own, resourceVersion: '1' })
    },
    get: async () => place,
    delete: async ({ name, namespace }: Parameters<Kubernetes['delete']>[0]) => {
      deleted.push(`${namespace ?? ''}/${name}`)
      return { kind: 'done', object: null } as const
    },
  } as unknown as Pick<Kubernetes, 'list' | 'get' | 'delete' | 'patch'>
  return { kubernetes, deleted }
}

describe('signalbox guard remove', () => {
  it('removes everything where all namespaces of the guard are named', async () => {
    const { kubernetes, deleted } = guarding(['a', 'b'])
    const steps = await removeGuard(kubernetes, { namespaces: ['a', 'b'], isDry: false, signal })
    expect(new Set(steps.map(({ result }) => result))).toEqual(new Set(['removed']))
    expect(deleted).toHaveLength(6)
    expect(deleted.slice(0, 2)).toEqual(['/signalbox-guard-pods', '/signalbox-guard-ephemeralrunners'])
  })

  it.each([true, false])('takes no guard off a namespace that nobody named (dry run: %s)', async (isDry) => {
    const { kubernetes, deleted } = guarding(['a', 'b'])
    const steps = await removeGuard(kubernetes, { namespaces: ['a'], isDry, signal })
    expect(steps.map(({ result, detail }) => [result, detail])).toEqual(
      Array.from({ length: 2 }, () => [
        'failed',
        'nothing was removed: it also guards b; to remove that too, add -n b',
      ]),
    )
    expect(deleted).toEqual([])
  })

  it.each<[string, Place, string]>([
    ['that was deleted', none(), 'removed'],
    ['that is being deleted', namespace({ deletionTimestamp: '2026-11-18T20:00:00Z' }), 'removed'],
    ['that cannot be read', blind('forbidden', '403'), 'failed'],
  ])('for a guard of a namespace %s', async (_which, place, result) => {
    const { kubernetes } = guarding(['a', 'b'], place)
    const steps = await removeGuard(kubernetes, { namespaces: ['a'], isDry: false, signal })
    expect(new Set(steps.map((step) => step.result))).toEqual(new Set([result]))
  })
})
