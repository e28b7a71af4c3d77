import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Kubernetes, ListRequest } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { readNamed } from './read-named.ts'

const { signal } = new AbortController()
const POD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'runners', name: 'a', uid: 'u', resourceVersion: '1' },
}
const OTHER: KubeObject = { ...POD, metadata: { ...POD.metadata, name: 'b' } }

describe('one object by its name', () => {
  it.each<readonly [string, Awaited<ReturnType<Kubernetes['list']>>, object]>([
    ['is the one of the list', seen({ items: [POD], resourceVersion: '1' }), seen(POD)],
    ['is found where the selector was not known', seen({ items: [OTHER, POD], resourceVersion: '1' }), seen(POD)],
    ['is none where another one has come', seen({ items: [OTHER], resourceVersion: '1' }), none()],
    ['is none where the list is empty', none(), none()],
    ['is blind where the list is', blind('forbidden', 'no'), blind('forbidden', 'no')],
  ])('%s', async (_title, answer, expected) => {
    const asked: ListRequest[] = []
    const list: Kubernetes['list'] = async (request) => (asked.push(request), answer)
    const wanted = { resource: RESOURCES.pods, namespace: 'runners', name: 'a' }
    expect(await readNamed({ list }, wanted, signal)).toEqual(expected)
    expect(asked).toEqual([{ resource: RESOURCES.pods, namespace: 'runners', fieldSelector: 'metadata.name=a' }])
  })
})
