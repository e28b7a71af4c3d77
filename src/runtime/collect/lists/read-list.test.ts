import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Kubernetes, ListRequest } from '#/ports/kubernetes.ts'
import { EPHEMERAL_RUNNERS, PODS } from './list-plan.ts'
import type { ListPlan } from './list-plan.ts'
import { createListReader } from './read-list.ts'
import { asServed, parseServedGroups } from './served-kinds.ts'
import type { ServedGroups } from './served-kinds.ts'

const { signal } = new AbortController()
const LEASES: ListPlan = { ...PODS, name: 'leases', namespace: 'kube-node-lease' }
const forbidden = blind('forbidden', 'no right')
const ARC: Observed<ServedGroups> = seen(new Map([['actions.github.com', ['v1alpha1']]]))

type Answer = Awaited<ReturnType<Kubernetes['list']>>
const makeList = (...names: readonly string[]): Answer =>
  seen({
    resourceVersion: '1',
    items: names.map((name) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, uid: name, resourceVersion: '1' },
    })),
  })

function reader(
  list: (request: ListRequest) => Answer,
  {
    served = ARC,
    namespaces = ['a', 'b'],
    kinds = '[]',
  }: { served?: Observed<ServedGroups>; namespaces?: string[]; kinds?: string } = {},
) {
  const asked: string[] = []
  const kubernetes = {
    list: async (request: ListRequest) => {
      asked.push(`${request.resource.version}/${request.resource.plural} ${request.namespace ?? '*'}`)
      return list(request)
    },
    raw: async () => seen({ contentType: '', text: `{"kind":"APIResourceList","resources":${kinds}}` }),
  }
  // The reader lists and asks for kinds; nothing else of a cluster is needed.
  const read = createListReader({ kubernetes: kubernetes as unknown as Kubernetes, served, namespaces, signal })
  return { read, asked }
}

async function summarise(answer: ReturnType<ReturnType<typeof createListReader>>) {
  const read = await answer
  if (read.kind !== 'seen') return read
  const { items, ...rest } = read.value
  return { names: items.map(({ metadata }) => metadata.name), ...rest }
}

describe('a list', () => {
  it('is read over all namespaces where that is allowed', async () => {
    const { read, asked } = reader(() => makeList('p', 'q'))
    expect(await summarise(read(PODS))).toEqual({
      names: ['p', 'q'],
      namespaces: null,
      remark: null,
      isUnknownKind: false,
    })
    expect(asked).toEqual(['v1/pods *'])
    expect(await summarise(reader(() => none()).read(PODS))).toMatchObject({ names: [] })
  })

  it('is read where it is allowed, and else is blind', async () => {
    const { read } = reader(({ namespace }) => (namespace === 'b' ? makeList('p') : forbidden))
    expect(await summarise(read(PODS))).toEqual({
      names: ['p'],
      namespaces: ['b'],
      remark: 'only of b: forbidden elsewhere',
      isUnknownKind: false,
    })
    expect(await summarise(reader(() => forbidden).read(PODS))).toEqual(forbidden)
    expect(await summarise(reader(() => forbidden, { namespaces: [] }).read(PODS))).toEqual(forbidden)
  })

  it('of one namespace is not looked for in others', async () => {
    const { read, asked } = reader(() => forbidden)
    expect(await summarise(read(LEASES))).toEqual(forbidden)
    expect(asked).toEqual(['v1/pods kube-node-lease'])
  })

  it('is not asked for again where the cluster is out of reach', async () => {
    const away = blind('unreachable', 'nobody there')
    const { read, asked } = reader(() => away)
    expect([await summarise(read(PODS)), await summarise(read(LEASES))]).toEqual([away, away])
    expect(asked).toHaveLength(1)
  })

  it('of a kind that nobody installed is empty without a question', async () => {
    const { read, asked } = reader(() => makeList(), { served: seen(new Map()) })
    expect(await summarise(read(EPHEMERAL_RUNNERS))).toMatchObject({ names: [], isUnknownKind: true })
    expect(asked).toEqual([])
  })

  it('of a kind that its group lacks is empty, and blind where the group does not say so', async () => {
    const unknown = blind('unsupported', '404')
    expect(await summarise(reader(() => unknown).read(EPHEMERAL_RUNNERS))).toMatchObject({ isUnknownKind: true })
    const kinds = '[{"name":"ephemeralrunners"}]'
    expect(await summarise(reader(() => unknown, { kinds }).read(EPHEMERAL_RUNNERS))).toEqual(unknown)
    expect(await summarise(reader(() => unknown).read(PODS))).toEqual(unknown)
  })

  it('of a kind of which the cluster does not say whether it serves it is blind', async () => {
    expect(await summarise(reader(() => makeList(), { served: forbidden }).read(EPHEMERAL_RUNNERS))).toEqual(forbidden)
  })
})

describe('what a cluster serves', () => {
  it('is read from its list of groups', () => {
    const version = (name: string) => ({ version: name })
    const group = { name: 'x.io', versions: [version('v1beta1'), version('v1')], preferredVersion: version('v1') }
    expect(parseServedGroups(JSON.stringify({ kind: 'APIGroupList', groups: [group] }))).toEqual(
      new Map([['x.io', ['v1', 'v1beta1']]]),
    )
    expect(parseServedGroups('{"kind":"Status"}')).toBeNull()
    expect(parseServedGroups('<html>')).toBeNull()
  })

  it.each([
    [['v1alpha1', 'v1'], 'v1alpha1'],
    [['v1'], 'v1'],
  ])('of %j this version is asked: %s', (versions, version) => {
    const groups = new Map([['actions.github.com', versions]])
    expect(asServed(EPHEMERAL_RUNNERS.resource, groups)?.version).toBe(version)
  })
})
