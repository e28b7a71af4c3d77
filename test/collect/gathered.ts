import { expect } from 'vitest'
import { textAt } from '#/core/basics/fields.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Kubernetes, ListRequest, LogTailRequest } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { collectEvidence } from '#/runtime/collect/collect-evidence.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { CollectRequest } from '#/runtime/collect/request/request.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'

/** The time at which evidence is gathered; it does not pass. */
export const NOW = Date.UTC(2026, 5, 6, 22)

function untilAborted(_: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

export const RUNNER = 'linux-abc-runner-x1'

type Objects = Readonly<Record<string, readonly object[]>>

export const object = (name: string, changes: object = {}, labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'runners', uid: `uid-${name}`, resourceVersion: '1', labels },
  ...changes,
})
export const runnerPod = object(RUNNER, { spec: { nodeName: 'n1', containers: [{ name: 'runner' }] } })

export type FakeCluster = {
  readonly kubernetes: Kubernetes
  readonly logs: LogTailRequest[]
  /** Every list that was asked for, as `plural namespace selector`. */
  readonly lists: string[]
}

/** Only the calls of a cluster that the collection makes. */
export function buildCluster(objects: Objects): FakeCluster {
  const logs: LogTailRequest[] = []
  const lists: string[] = []
  const kubernetes = {
    list: async (request: ListRequest) => {
      const { resource, namespace, fieldSelector, labelSelector, trim = (one: KubeObject) => one } = request
      lists.push([resource.plural, namespace, fieldSelector ?? labelSelector].filter((part) => part).join(' '))
      const all = (objects[resource.plural] ?? []) as readonly KubeObject[]
      const items = all.filter((one) => isSelected(one, request)).map(trim)
      return items.length === 0 ? none() : seen({ items, resourceVersion: '1' })
    },
    logTail: async (request: LogTailRequest) => {
      logs.push(request)
      return seen({ text: '2026-06-06T21:00:00Z x\n', cut: false })
    },
    raw: async (path: string) => {
      const groups = [{ name: 'actions.github.com', preferredVersion: { version: 'v1alpha1' } }]
      if (path === '/apis') return seen({ contentType: '', text: JSON.stringify({ kind: 'APIGroupList', groups }) })
      return path.endsWith('configz') ? blind('forbidden', 'no right') : seen({ contentType: '', text: '{"a":1}' })
    },
  }
  // Other calls are not made; one would fail.
  return { kubernetes: kubernetes as unknown as Kubernetes, logs, lists }
}

function isSelected(one: KubeObject, { namespace, fieldSelector, labelSelector }: ListRequest): boolean {
  if (namespace !== undefined && one.metadata.namespace !== namespace) return false
  if (labelSelector !== undefined && one.metadata.labels?.[labelSelector] === undefined) return false
  const [path = '', value] = fieldSelector?.split('=') ?? []
  return fieldSelector === undefined || textAt(one, ...path.split('.')) === value
}

export async function gathered(changes: Partial<CollectRequest>, world?: GitHubWorld) {
  const evidence = collectEvidence({
    subject: null,
    places: { namespaces: [], isInsideOnly: false, repositories: [], organizations: [] },
    window: { since: null, until: null },
    logBytes: 1024,
    lastSeen: null,
    fleet: WHOLE_FLEET,
    kubernetes: null,
    github: world?.github ?? null,
    gitlab: null,
    hosts: null,
    logStore: null,
    githubUrl: 'https://api.github.com',
    thisNode: null,
    audit: null,
    clock: { now: () => NOW, sleep: untilAborted },
    progress: () => {},
    signal: new AbortController().signal,
    ...changes,
  })
  const files = new Map<string, string>()
  for await (const { path, content } of evidence.files) {
    expect([path, files.has(path)]).toEqual([path, false])
    files.set(path, typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8'))
  }
  const meta = evidence.meta()
  const sources = Object.fromEntries(
    [...meta.sources].map(([name, answer]) => [name, answer.kind === 'blind' ? answer.reason : answer.kind]),
  )
  return { files, sources, meta, subject: meta.subject, evidence }
}

export const paths = (files: ReadonlyMap<string, string>, prefix: string): readonly string[] =>
  [...files.keys()].filter((path) => path.startsWith(prefix)).toSorted()
