import { blind, none, seen } from '#/core/basics/observed.ts'
import { toFields } from '#/core/basics/fields.ts'
import type { Kubernetes, Preconditions, WatchEvent, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'

type Watcher = { readonly plural: string; readonly put: (event: WatchEvent) => void }

/** An API server in memory: versions, finalizers and watches as the real one has them. The kubelet is the test. */
export class SmallCluster {
  readonly #objects = new Map<string, KubeObject>()
  readonly #watchers = new Set<Watcher>()
  #version = 0
  #uid = 0
  /** Every write, in order; what it throws is a crash before it. */
  onWrite: (what: string) => void = () => undefined
  /** What the next creations of pods are answered with. */
  refusals: WriteOutcome[] = []
  now: () => number = () => Date.now()

  readonly kubernetes: Pick<Kubernetes, 'watch' | 'get' | 'create' | 'patch' | 'delete'> = {
    watch: ({ resource }, signal) => this.#watch(resource, signal),
    get: async ({ resource, namespace = '', name }) => {
      const found = this.#objects.get(keyOf(resource.plural, namespace, name))
      return found === undefined ? none() : seen(found)
    },
    create: async ({ resource, namespace = '', object }) => {
      this.onWrite('create')
      const refusal = this.refusals.shift()
      if (refusal !== undefined) return refusal
      return { kind: 'done', object: this.put(resource.plural, { ...object, namespace }) }
    },
    patch: async ({ resource, namespace = '', name, patch, subresource, preconditions }) => {
      this.onWrite(`patch ${resource.plural}${subresource === undefined ? '' : `/${subresource}`}`)
      const found = this.#objects.get(keyOf(resource.plural, namespace, name))
      if (found === undefined) return { kind: 'gone' }
      if (!fits(found, preconditions)) return { kind: 'conflict', why: 'changed', message: 'it has changed' }
      const changes = patch.kind === 'merge' ? patch.changes : patch.kind === 'apply' ? patch.object : {}
      const metadata = { ...found.metadata, ...toFields(changes['metadata']) }
      const body = subresource === undefined ? changes : { [subresource]: changes[subresource] }
      return { kind: 'done', object: this.#store(resource.plural, { ...found, ...body, metadata }) }
    },
    delete: async ({ resource, namespace = '', name, preconditions }) => {
      this.onWrite(`delete ${resource.plural}`)
      const found = this.#objects.get(keyOf(resource.plural, namespace, name))
      if (found === undefined) return { kind: 'gone' }
      if (!fits(found, preconditions)) return { kind: 'conflict', why: 'changed', message: 'it has changed' }
      this.delete(resource.plural, name)
      return { kind: 'done', object: null }
    },
  }

  /** As somebody with kubectl does. */
  delete(plural: string, name: string): void {
    for (const object of this.list(plural).filter(({ metadata }) => metadata.name === name)) {
      const deletionTimestamp = new Date(this.now()).toISOString()
      this.#store(plural, { ...object, metadata: { ...object.metadata, deletionTimestamp } })
    }
  }

  put(plural: string, object: Readonly<Record<string, unknown>>): KubeObject {
    this.#uid += 1
    const given = {
      uid: `uid-${this.#uid}`,
      creationTimestamp: new Date(this.now()).toISOString(),
      namespace: 'runners',
    }
    const metadata = { ...given, ...toFields(object['metadata']) }
    return this.#store(plural, { ...object, metadata } as unknown as KubeObject)
  }

  change(plural: string, name: string, change: (object: KubeObject) => object): void {
    for (const object of this.list(plural).filter(({ metadata }) => metadata.name === name)) {
      this.#store(plural, { ...object, ...change(object) })
    }
  }

  list(plural: string): readonly KubeObject[] {
    return [...this.#objects].flatMap(([key, object]) => (key.startsWith(`${plural}/`) ? [object] : []))
  }

  /** The watches of this kind do not see, until `see`. */
  blind(plural: string): void {
    this.#send(plural, { kind: 'blind', reason: blind('unreachable', 'no route').reason })
  }

  see(plural: string): void {
    this.#send(plural, { kind: 'caught-up', resourceVersion: String(this.#version) })
  }

  /** The object goes without an end, as when a node and its objects are removed by force. */
  vanish(plural: string, name: string): void {
    for (const object of this.list(plural).filter(({ metadata }) => metadata.name === name)) {
      this.#objects.delete(keyOf(plural, object.metadata.namespace ?? '', name))
      this.#send(plural, { kind: 'deleted', object })
    }
  }

  #store(plural: string, object: KubeObject): KubeObject {
    this.#version += 1
    const { namespace = '', name } = object.metadata
    const key = keyOf(plural, namespace, name)
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } }
    const isKnown = this.#objects.has(key)
    const isGone = stored.metadata.deletionTimestamp !== undefined && (stored.metadata.finalizers ?? []).length === 0
    if (isGone) this.#objects.delete(key)
    else this.#objects.set(key, stored)
    this.#send(plural, { kind: isGone ? 'deleted' : isKnown ? 'modified' : 'added', object: stored })
    return stored
  }

  #send(plural: string, event: WatchEvent): void {
    for (const watcher of this.#watchers) if (watcher.plural === plural) watcher.put(event)
  }

  async *#watch({ plural }: Resource, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const waiting: WatchEvent[] = [
      { kind: 'listed', items: this.list(plural), vanished: [], resourceVersion: String(this.#version) },
      { kind: 'caught-up', resourceVersion: String(this.#version) },
    ]
    let wake = (): void => {}
    const watcher: Watcher = {
      plural,
      put: (event) => {
        waiting.push(event)
        wake()
      },
    }
    this.#watchers.add(watcher)
    signal.addEventListener('abort', () => wake(), { once: true })
    try {
      while (!signal.aborted) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      this.#watchers.delete(watcher)
    }
  }
}

function keyOf(plural: string, namespace: string, name: string): string {
  return `${plural}/${namespace}/${name}`
}

function fits({ metadata }: KubeObject, preconditions: Preconditions | undefined): boolean {
  if (preconditions === undefined) return true
  const { uid, resourceVersion } = preconditions
  return metadata.uid === uid && (resourceVersion === undefined || metadata.resourceVersion === resourceVersion)
}
