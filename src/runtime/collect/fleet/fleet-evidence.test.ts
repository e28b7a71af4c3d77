import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Kubernetes, ListRequest } from '#/ports/kubernetes.ts'
import { buildCluster, gathered, object, paths } from '#test/collect/gathered.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { FleetWish } from '#/runtime/collect/request/request.ts'

const SET_LABEL = { 'actions.github.com/scale-set-name': 'linux' }
const set = object('linux', { spec: { githubConfigSecret: 'app', githubConfigUrl: 'https://github.com/acme' } })
const runner = object('linux-x-runner-1')
const running = (name: string, labels: object = SET_LABEL): object =>
  object(
    name,
    { spec: { nodeName: 'n1', containers: [{ name: 'runner' }] } },
    { 'actions-ephemeral-runner': 'True', ...labels },
  )
const secret = (name: string, type: string): object =>
  object(name, { kind: 'Secret', type, data: { key: Buffer.from('hunter2').toString('base64') } })
const readItems = (files: ReadonlyMap<string, string>, name: string): readonly string[] => {
  const list = JSON.parse(files.get(`kubernetes/${name}.json`) ?? '{"items":[]}') as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[]
  }
  return list.items.map(({ metadata }) => metadata.name)
}
const wanting = (...wanted: readonly string[]): { readonly fleet: FleetWish } => ({
  fleet: { ...WHOLE_FLEET, wanted: new Set(wanted) },
})
const refusing = (kubernetes: Kubernetes, isRefused: (request: ListRequest) => boolean): Kubernetes => ({
  ...kubernetes,
  list: async (request, signal) =>
    isRefused(request) ? blind('forbidden', `403 ${request.resource.plural}`) : kubernetes.list(request, signal),
})

describe('the evidence of a fleet', () => {
  it('has every list, and distinguishes empty, forbidden and without ARC', async () => {
    const { kubernetes } = buildCluster({ pods: [running('linux-x-runner-1')] })
    const raw: Kubernetes['raw'] = async (path) =>
      path === '/apis' ? seen({ contentType: '', text: '{"kind":"APIGroupList","groups":[]}' }) : none()
    const cluster = { ...refusing(kubernetes, ({ resource }) => resource.plural === 'storageclasses'), raw }
    const { sources, meta, files } = await gathered({ kubernetes: cluster })
    expect([sources['kubernetes/pods'], sources['kubernetes/services']]).toEqual(['looked', 'looked'])
    expect(JSON.parse(files.get('kubernetes/services.json') ?? '')).toMatchObject({ items: [] })
    expect(sources['kubernetes/storageclasses']).toBe('forbidden: 403 storageclasses')
    expect(files.has('kubernetes/storageclasses.json')).toBe(false)
    const remark = 'the cluster does not serve this kind: ARC is not installed'
    expect(meta.sources.get('kubernetes/autoscalingrunnersets')).toMatchObject({ kind: 'looked', coverage: { remark } })
    expect(meta.sources.get('kubernetes/machines')).toMatchObject({
      coverage: { remark: 'the cluster does not serve this kind' },
    })
  })

  it('is only what is wanted: neither Secrets nor nodes for a question about runners', async () => {
    const { kubernetes, lists, logs } = buildCluster({
      pods: [running('linux-x-runner-1')],
      autoscalingrunnersets: [set],
    })
    const { sources, files } = await gathered({ kubernetes, ...wanting('kubernetes/pods', 'fleet') })
    expect(Object.keys(sources)).toEqual(['kubernetes/pods'])
    expect([[...files.keys()], lists, logs]).toEqual([['kubernetes/pods.json'], ['pods'], []])
  })

  it('reads pods before ARC’s records, and ARC’s records one behind the other, runner sets before their runners', async () => {
    const { kubernetes, lists } = buildCluster({
      pods: [running('linux-x-runner-1')],
      ephemeralrunners: [runner],
      autoscalingrunnersets: [set],
    })
    await gathered({ kubernetes })
    expect(lists.slice(0, 6)).toEqual([
      'autoscalingrunnersets',
      'pods',
      'ephemeralrunnersets',
      'ephemeralrunners',
      'autoscalingrunnersets',
      'autoscalinglisteners',
    ])
  })

  it('has the pod of a runner that came while the pods were read', async () => {
    const pods = [running('linux-x-runner-1'), running('linux-x-runner-2')]
    const { kubernetes, lists } = buildCluster({
      pods,
      ephemeralrunners: [runner, object('linux-x-runner-2')],
      autoscalingrunnersets: [set],
    })
    let isFirst = true
    const list: Kubernetes['list'] = async (request, signal) => {
      const read = await kubernetes.list(request, signal)
      if (request.resource.plural !== 'pods' || !isFirst || read.kind !== 'seen') return read
      isFirst = false
      return seen({ ...read.value, items: read.value.items.slice(0, 1) })
    }
    const { files, sources } = await gathered({ kubernetes: { ...kubernetes, list } })
    expect(readItems(files, 'pods')).toEqual(['linux-x-runner-1', 'linux-x-runner-2'])
    expect(lists.filter((asked) => asked.startsWith('pods'))).toEqual([
      'pods',
      'pods runners actions.github.com/scale-set-name',
    ])
    expect(sources['logs/runners/linux-x-runner-2/runner']).toBe('looked')
  })

  it('asks once for the pods where each runner has its own', async () => {
    const { kubernetes, lists } = buildCluster({ pods: [running('linux-x-runner-1')], ephemeralrunners: [runner] })
    await gathered({ kubernetes })
    expect(lists.filter((asked) => asked.startsWith('pods'))).toEqual(['pods'])
  })

  it('is blind for a list that does not fit in, instead of giving a part of it', async () => {
    const long = 'x'.repeat(70 * 1024 * 1024)
    const { kubernetes } = buildCluster({ services: [object('a', { long }), object('b', { long })] })
    const { sources } = await gathered({ kubernetes, ...wanting('kubernetes/services') })
    expect(sources['kubernetes/services']).toBe('too-large: only 1 of 2 objects fit in')
  })

  it('without a cluster is blind everywhere, and was not asked for', async () => {
    const { sources, evidence } = await gathered({})
    for (const source of ['kubernetes/pods', 'kubernetes/secrets', 'kubernetes/stats', 'logs']) {
      expect([source, sources[source]]).toEqual([source, 'not-asked: no kubeconfig, and not inside a cluster'])
    }
    expect(evidence.hasLooked()).toBe(false)
  })

  it('has the files that are given, as they are', async () => {
    const fleet: FleetWish = {
      ...WHOLE_FLEET,
      declared: { text: '# mine\n', file: {} },
      gitlabConfig: 'concurrent = 1\n',
      gitlabRunners: '[]',
    }
    const { files, sources } = await gathered({ fleet })
    expect(files.get('fleet.yaml')).toBe('# mine\n')
    expect(files.get('gitlab/config.toml')).toBe('concurrent = 1\n')
    expect(files.get('gitlab/runners.json')).toBe('[]')
    expect([sources['fleet'], sources['gitlab/config'], sources['gitlab/runners']]).toEqual([
      'looked',
      'looked',
      'looked',
    ])
  })
})

describe('the logs of a fleet', () => {
  it('are blind as a whole where none could be read, and none is no blindness', async () => {
    const { kubernetes } = buildCluster({ pods: [running('linux-x-runner-1')] })
    const logTail: Kubernetes['logTail'] = async () => blind('forbidden', '403 pods/log')
    const { sources } = await gathered({ kubernetes: { ...kubernetes, logTail } })
    expect(sources['logs']).toBe('forbidden: 403 pods/log')
    expect(sources['logs/runners/linux-x-runner-1/runner']).toBe('forbidden: 403 pods/log')
    const { meta } = await gathered({ kubernetes: buildCluster({ pods: [object('other')] }).kubernetes })
    expect(meta.sources.get('logs')).toMatchObject({
      kind: 'looked',
      coverage: { remark: 'no pod of ARC and no runner stands on a node' },
    })
  })

  it('are blind where pods are', async () => {
    const { kubernetes } = buildCluster({})
    const { sources } = await gathered({
      kubernetes: refusing(kubernetes, ({ resource }) => resource.plural === 'pods'),
    })
    expect(sources['logs']).toBe('forbidden: 403 pods')
  })

  it('of a node that does not answer are asked for once', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `linux-x-runner-${index}`)
    const { kubernetes } = buildCluster({ pods: [...names.map((name) => running(name)), running('elsewhere')] })
    let asked = 0
    const logTail: Kubernetes['logTail'] = async ({ pod }) => {
      if (pod === 'elsewhere') return none()
      asked += 1
      return blind('server-error', '502 error dialing backend')
    }
    const list: Kubernetes['list'] = async (request, signal) => {
      const read = await kubernetes.list(request, signal)
      if (read.kind !== 'seen' || request.resource.plural !== 'pods') return read
      const items = read.value.items.map((pod) =>
        pod.metadata.name === 'elsewhere'
          ? { ...pod, spec: { nodeName: 'n2', containers: [{ name: 'runner' }] } }
          : pod,
      )
      return seen({ ...read.value, items })
    }
    const { sources, meta } = await gathered({ kubernetes: { ...kubernetes, logTail, list } })
    // Those that were under way when it was noticed.
    expect(asked).toBeLessThanOrEqual(16)
    expect(sources['logs/runners/linux-x-runner-39/runner']).toMatch(/^server-error: the node n1 does not answer/)
    expect(meta.sources.get('logs')).toMatchObject({ coverage: { remark: '40 of 41 could not be read' } })
  })
})

describe('the nodes of a fleet', () => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => object(name, { metadata: { name, uid: name, resourceVersion: '1' } }))

  it('are each a source of its own', async () => {
    const { kubernetes } = buildCluster({ nodes })
    const raw: Kubernetes['raw'] = async (path, signal) =>
      path.includes('/n2/') ? blind('timeout', 'no answer') : kubernetes.raw(path, signal)
    const asked: string[] = []
    const counting: Kubernetes['raw'] = (path, signal) => {
      asked.push(path)
      return raw(path, signal)
    }
    const { files, sources } = await gathered({ kubernetes: { ...kubernetes, raw: counting } })
    expect(paths(files, 'kubernetes/stats/')).toEqual(['kubernetes/stats/n1.json', 'kubernetes/stats/n3.json'])
    expect(sources['kubernetes/stats/n2']).toBe('timeout: no answer')
    expect(sources['kubernetes/configz/n1']).toBe('forbidden: no right')
    // Who did not answer the first question is not asked the second one.
    expect(sources['kubernetes/configz/n2']).toBe('timeout: no answer')
    expect(asked.filter((path) => path.includes('/n2/'))).toEqual(['/api/v1/nodes/n2/proxy/stats/summary'])
  })

  it('are those that are wanted', async () => {
    const { kubernetes } = buildCluster({ nodes })
    const { sources } = await gathered({ kubernetes, ...wanting('kubernetes/stats/n3') })
    expect(Object.keys(sources)).toEqual(['kubernetes/nodes', 'kubernetes/stats/n3'])
  })

  it('are blind where their list is', async () => {
    const { kubernetes } = buildCluster({ nodes })
    const { sources } = await gathered({
      kubernetes: refusing(kubernetes, ({ resource }) => resource.plural === 'nodes'),
    })
    expect(sources['kubernetes/stats']).toBe('forbidden: 403 nodes')
    expect(sources['kubernetes/configz']).toBe('forbidden: 403 nodes')
  })
})

describe('the Secrets of a fleet', () => {
  const secrets = [
    secret('app', 'Opaque'),
    secret('pull', 'kubernetes.io/dockerconfigjson'),
    secret('jit', 'Opaque'),
    { ...secret('far', 'kubernetes.io/dockerconfigjson'), metadata: { name: 'far', namespace: 'shop', uid: 'far' } },
  ]
  const world = { autoscalingrunnersets: [set], secrets }

  it('are those that it names and credentials of registries beside it, and only their digests', async () => {
    const { kubernetes, lists } = buildCluster(world)
    const { files, meta } = await gathered({ kubernetes })
    expect(readItems(files, 'secrets')).toEqual(['app', 'pull'])
    const text = files.get('kubernetes/secrets.json') ?? ''
    expect([text.includes('hunter2'), text.includes(Buffer.from('hunter2').toString('base64'))]).toEqual([false, false])
    expect(text).toContain('sha256:')
    expect(lists.filter((asked) => asked.startsWith('secrets'))).toEqual([
      'secrets runners metadata.name=app',
      'secrets runners type=kubernetes.io/dockerconfigjson',
    ])
    expect(meta.sources.get('kubernetes/secrets')).toMatchObject({
      coverage: { remark: 'only those that matter to the fleet, as digests' },
    })
  })

  it('are blind where they may not be read', async () => {
    const { kubernetes } = buildCluster(world)
    const { sources } = await gathered({
      kubernetes: refusing(kubernetes, ({ resource }) => resource.plural === 'secrets'),
    })
    expect(sources['kubernetes/secrets']).toBe('forbidden: runners: 403 secrets')
  })

  it('are enough where only those that are named may be read', async () => {
    const { kubernetes } = buildCluster(world)
    const isType = ({ fieldSelector }: ListRequest): boolean => fieldSelector?.startsWith('type=') === true
    const { files, meta } = await gathered({ kubernetes: refusing(kubernetes, isType) })
    expect(readItems(files, 'secrets')).toEqual(['app'])
    expect(meta.sources.get('kubernetes/secrets')).toMatchObject({
      coverage: { remark: expect.stringContaining('of runners only by their names') as string },
    })
  })

  it('are blind where those beside it did not come for another reason', async () => {
    const { kubernetes } = buildCluster(world)
    const list: Kubernetes['list'] = async (request, signal) =>
      request.fieldSelector?.startsWith('type=') === true ? blind('timeout', 'late') : kubernetes.list(request, signal)
    const { sources } = await gathered({ kubernetes: { ...kubernetes, list } })
    expect(sources['kubernetes/secrets']).toBe('timeout: runners: late')
  })

  it('are blind where nobody knows which matter, and none where nothing names one', async () => {
    const { kubernetes } = buildCluster(world)
    const isSets = ({ resource }: ListRequest): boolean => resource.plural === 'autoscalingrunnersets'
    const { sources } = await gathered({ kubernetes: refusing(kubernetes, isSets) })
    expect(sources['kubernetes/secrets']).toMatch(/^forbidden: which Secrets matter is not known: 403/)
    const bare = await gathered({ kubernetes: buildCluster({ secrets }).kubernetes })
    expect(readItems(bare.files, 'secrets')).toEqual([])
    expect(bare.meta.sources.get('kubernetes/secrets')).toMatchObject({
      kind: 'looked',
      coverage: { remark: 'nothing of the fleet names one' },
    })
  })
})
