import { describe, expect, it } from 'vitest'
import { none, seen } from '#/core/basics/observed.ts'
import { buildGuard } from '#/core/guard/manifests.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { removeGuard } from './remove-steps.ts'

const { signal } = new AbortController()

/** A cluster whose guard is for these namespaces. */
function guarding(...guarded: readonly string[]) {
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
    delete: async ({ name, namespace }: Parameters<Kubernetes['delete']>[0]) => {
      deleted.push(`${namespace ?? ''}/${name}`)
      return { kind: 'done', object: null } as const
    },
  } as unknown as Pick<Kubernetes, 'list' | 'delete' | 'patch'>
  return { kubernetes, deleted }
}

describe('signalbox guard remove', () => {
  it('removes everything where all namespaces of the guard are named', async () => {
    const { kubernetes, deleted } = guarding('a', 'b')
    const steps = await removeGuard(kubernetes, { namespaces: ['a', 'b'], isDry: false, signal })
    expect(new Set(steps.map(({ result }) => result))).toEqual(new Set(['removed']))
    expect(deleted).toHaveLength(6)
    expect(deleted.slice(0, 2)).toEqual(['/signalbox-guard-pods', '/signalbox-guard-ephemeralrunners'])
  })

  it.each([true, false])('takes no guard off a namespace that nobody named (dry run: %s)', async (isDry) => {
    const { kubernetes, deleted } = guarding('a', 'b')
    const steps = await removeGuard(kubernetes, { namespaces: ['a'], isDry, signal })
    expect(steps.map(({ result, detail }) => [result, detail])).toEqual(
      Array.from({ length: 2 }, () => [
        'failed',
        'nothing was removed: it also guards b; to remove that too, add -n b',
      ]),
    )
    expect(deleted).toEqual([])
  })
})
