import { expect } from 'vitest'
import { blind, none, seen } from '#/core/observed.ts'
import type { Kubernetes, ListRequest, LogTailRequest } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { collectEvidence } from '#/runtime/collect/collect-evidence.ts'
import type { CollectRequest } from '#/runtime/collect/request.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'

export const RUNNER = 'linux-abc-runner-x1'

type Objects = Readonly<Record<string, readonly object[]>>

export const object = (name: string, changes: object = {}, labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'runners', uid: `uid-${name}`, resourceVersion: '1', labels },
  ...changes,
})
export const runnerPod = object(RUNNER, { spec: { nodeName: 'n1', containers: [{ name: 'runner' }] } })

/** As much of a cluster as is asked. */
export function clusterOf(objects: Objects): { readonly kubernetes: Kubernetes; readonly logs: LogTailRequest[] } {
  const logs: LogTailRequest[] = []
  const kubernetes = {
    list: async ({ resource }: ListRequest) => {
      const items = (objects[resource.plural] ?? []) as readonly KubeObject[]
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
  // What is not here is not used; a use would fail.
  return { kubernetes: kubernetes as unknown as Kubernetes, logs }
}

export async function gathered(changes: Partial<CollectRequest>, world?: GitHubWorld) {
  const evidence = collectEvidence({
    subject: null,
    places: { namespaces: [], isInsideOnly: false, repositories: [], organizations: [] },
    window: { since: null, until: null },
    logBytes: 1024,
    lastSeen: null,
    kubernetes: null,
    github: world?.github ?? null,
    thisNode: null,
    audit: null,
    clock: { now: () => Date.UTC(2026, 5, 6, 22), sleep: async () => {} },
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
