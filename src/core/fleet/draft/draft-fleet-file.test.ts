import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { draftFleetFile } from './draft-fleet-file.ts'
import { blind } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'

type SetOptions = {
  readonly namespace?: string
  readonly max?: number
  readonly url?: string
  readonly labels?: readonly string[]
  readonly template?: Fields
  readonly metadata?: Fields
}

function set(name: string, options: SetOptions = {}): Fields {
  const { namespace = 'arc-runners', max, url = 'https://github.com/acme', labels, template, metadata } = options
  return {
    metadata: { name, namespace, ...metadata },
    spec: {
      githubConfigUrl: url,
      ...(max === undefined ? {} : { maxRunners: max }),
      ...(labels === undefined ? {} : { runnerScaleSetLabels: labels }),
      template: { spec: template ?? {} },
    },
  }
}

function node(name: string, labels: Fields = {}, taints: readonly Fields[] = []): Fields {
  return { metadata: { name, labels: { 'kubernetes.io/os': 'linux', ...labels } }, spec: { taints } }
}

const taint = (key: string, value = ''): Fields => ({ key, value, effect: 'NoSchedule' })
const tolerating = (key: string): SetOptions => ({ template: { tolerations: [{ key, operator: 'Exists' }] } })
const pool = (name: string): Fields => ({ 'karpenter.sh/nodepool': name })

const draft = (autoscalingrunnersets: readonly Fields[], lists: Parameters<typeof buildFleet>[0] = {}) =>
  draftFleetFile(buildFleet({ autoscalingrunnersets, ...lists }))

describe('the pools of a draft', () => {
  it.each<[string, readonly Fields[], readonly Fields[], string]>([
    ['without taints', [set('a')], [node('n1', pool('p'))], 'p baseline'],
    [
      'of the control plane',
      [set('a')],
      [node('n1', { 'node-role.kubernetes.io/control-plane': '' }, [taint('node-role.kubernetes.io/control-plane')])],
      'control-plane excluded',
    ],
    ['for storage', [set('a')], [node('n1', pool('p'), [taint('dedicated', 'ceph')])], 'p storage'],
    ['that nobody tolerates', [set('a')], [node('n1', pool('p'), [taint('team', 'db')])], 'p excluded'],
    ['that all tolerate', [set('a', tolerating('ci'))], [node('n1', pool('p'), [taint('ci')])], 'p baseline'],
    [
      'that some tolerate',
      [set('a', tolerating('ci')), set('b')],
      [node('n1', pool('p'), [taint('ci')])],
      'p overflow',
    ],
    ['of spot nodes', [set('a')], [node('n1', { ...pool('p'), 'karpenter.sh/capacity-type': 'spot' })], 'p overflow'],
    [
      'with a taint for spot',
      [set('a', tolerating('spot'))],
      [node('n1', pool('p'), [taint('spot', 'true')])],
      'p overflow',
    ],
    [
      'with a taint on one node',
      [set('a')],
      [node('n1', pool('p'), [taint('team')]), node('n2', pool('p'))],
      'p baseline',
    ],
    [
      'with a node that is not well',
      [set('a')],
      [node('n1', pool('p'), [taint('node.kubernetes.io/unreachable')])],
      'p baseline',
    ],
    ['without any scale set', [], [node('n1', pool('p'), [taint('team')])], 'p baseline'],
  ])('%s have their role', (_, sets, nodes, wanted) => {
    const pools = draft(sets, { nodes }).file.nodePools ?? []
    expect(pools.map(({ name, role }) => `${name} ${role}`)).toEqual([wanted])
  })

  it('are found by the labels that scale sets select if the provider has none', () => {
    const sets = [set('a', { template: { nodeSelector: { 'acme.io/pool': 'base', 'kubernetes.io/arch': 'amd64' } } })]
    const nodes = [
      node('n1', { 'acme.io/pool': 'base', 'kubernetes.io/arch': 'amd64' }),
      node('n2', { 'acme.io/pool': 'burst' }),
    ]
    expect(draft(sets, { nodes }).file.nodePools?.map(({ selector }) => selector)).toEqual([
      { 'acme.io/pool': 'base' },
      { 'acme.io/pool': 'burst' },
    ])
  })

  it('are one if no label separates the nodes, and a note if a label separates some', () => {
    expect(draft([], { nodes: [node('n1'), node('n2')] }).file.nodePools).toEqual([
      { name: 'all', selector: { 'kubernetes.io/os': 'linux' }, role: 'baseline' },
    ])
    const mixed = draft([], { nodes: [node('n1', pool('p')), node('n2')] })
    expect(mixed.file.nodePools?.length).toBe(1)
    expect(mixed.notes).toContainEqual({ path: [], text: 'no label identifies the pool of n2' })
  })

  it('have unique names', () => {
    const nodes = [node('n1', pool('p')), node('n2', { agentpool: 'p' })]
    expect(draft([], { nodes }).file.nodePools?.map(({ name }) => name)).toEqual(['p', 'p-2'])
  })
})

describe('the lanes of a draft', () => {
  const container = (extra: Fields): SetOptions => ({ template: { containers: [{ name: 'runner', ...extra }] } })
  it.each<[string, SetOptions, string]>([
    ['linux', {}, 'general'],
    ['linux', container({ resources: { limits: { 'nvidia.com/gpu': '1' } } }), 'gpu'],
    ['linux', container({ securityContext: { privileged: true } }), 'container-build'],
    ['linux', { template: { initContainers: [{ name: 'dind', image: 'docker:dind' }] } }, 'container-build'],
    ['docker-build', {}, 'container-build'],
    ['dockerised', {}, 'general'],
    ['deploy', { max: 1 }, 'control-plane'],
    ['deploy', { max: 2 }, 'general'],
    ['linux', container({ resources: { requests: { cpu: '8' } } }), 'heavy'],
    ['linux', container({ resources: { requests: { cpu: '7900m' } } }), 'general'],
    ['linux', container({ resources: { limits: { memory: '16Gi' } } }), 'heavy'],
    ['linux-heavy', {}, 'heavy'],
  ])('%s %j is %s', (name, options, wanted) => {
    expect(draft([set(name, options)]).file.lanes?.[0]?.class).toBe(wanted)
  })

  it('are one for the sets that share a first label, with their maxima together', () => {
    const { file, notes } = draft([
      set('linux', { max: 3, labels: ['x64'] }),
      set('linux', { namespace: 'other', max: 4 }),
      set('free'),
      set('gone', { max: 1, metadata: { deletionTimestamp: '2026-06-01T00:00:00Z' } }),
    ])
    expect(file.lanes).toEqual([
      { label: 'linux', class: 'general', scaleSets: ['arc-runners/linux', 'other/linux'], declaredMax: 7 },
      { label: 'free', class: 'general', scaleSets: ['free'] },
    ])
    expect(notes).toContainEqual({ path: ['lanes', 0], text: 'its sets also have the labels x64' })
    expect(notes).toContainEqual({
      path: ['lanes', 1],
      text: 'one of its scale sets has no maxRunners: declare the intended maximum',
    })
  })

  it('have an envelope only if each set fits only one pool', () => {
    const nodes = [node('n1', pool('base')), node('n2', pool('burst'), [taint('spot')])]
    const selecting = (name: string, key: string): Fields => ({
      nodeSelector: pool(name),
      tolerations: [{ key, operator: 'Exists' }],
    })
    const both = draft([set('a', { max: 2, template: { tolerations: [{ operator: 'Exists' }] } })], { nodes })
    expect(both.file.lanes?.[0]?.envelope).toBeUndefined()
    const one = draft([set('a', { max: 2 }), set('b', { max: 3, template: selecting('burst', 'spot') })], { nodes })
    expect(one.file.lanes?.map(({ envelope }) => envelope)).toEqual([{ base: 2 }, { burst: 3 }])
  })

  it('have the scratch volumes that all of their sets have', () => {
    const volume = (name: string): Fields => ({
      name,
      ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } },
    })
    const sets = [
      set('a', { template: { volumes: [volume('work'), volume('graph'), { name: 'tmp', emptyDir: {} }] } }),
      set('a', { namespace: 'other', template: { volumes: [volume('work')] } }),
    ]
    expect(draft(sets).file.lanes?.[0]?.requiredVolumes).toEqual([{ name: 'work', storageClass: 'fast' }])
  })
})

describe('a draft', () => {
  it('assigns a namespace to its only owner, and the sets of a shared one individually', () => {
    const { file } = draft([
      set('a', { namespace: 'one' }),
      set('b', { namespace: 'shared' }),
      set('c', { namespace: 'shared', url: 'https://github.com/acme/app' }),
      set('d', { namespace: 'corp', url: 'https://github.com/enterprises/big' }),
    ])
    expect(file.owners).toEqual([
      { name: 'acme', namespaces: ['one'], scaleSets: ['b'] },
      { name: 'acme/app', scaleSets: ['c'] },
      { name: 'big', namespaces: ['corp'] },
    ])
  })

  it("uses the runners' namespace as the original of a pull secret", () => {
    const template = { imagePullSecrets: [{ name: 'ghcr' }] }
    const autoscalinglisteners = [
      { metadata: { name: 'l', namespace: 'arc-systems' }, spec: { imagePullSecrets: [{ name: 'ghcr' }] } },
    ]
    const { file } = draft([set('a', { template })], { autoscalinglisteners })
    expect(file.pullSecrets).toEqual([
      { name: 'ghcr', authoritative: { namespace: 'arc-runners' }, copies: [{ namespace: 'arc-systems' }] },
    ])
    expect(file.controllerNamespace).toBe('arc-systems')
  })

  it('declares the newest version of an image that is seen, and none for latest', () => {
    const image = (tag: string): SetOptions => ({
      template: { containers: [{ name: 'runner', image: `ghcr.io/r${tag}` }] },
    })
    const { file, notes } = draft([set('a', image(':2.9.0')), set('b', image(':2.10.0')), set('c', image(':latest'))])
    expect(file.releases).toEqual([{ component: 'ghcr.io/r', declared: '2.10.0' }])
    expect(notes).toContainEqual({ path: ['releases', 0], text: 'also seen: 2.9.0' })
    expect(draft([set('a', image(':latest')), set('b', image('@sha256:ab'))]).file.releases).toBeUndefined()
  })

  it('names the Secret of a GitLab Runner', () => {
    const sources = [{ secret: { name: 'tok', items: [{ key: 'runner-token' }] } }]
    const spec = {
      containers: [{ name: 'm', image: 'registry.gitlab.com/gitlab-org/gitlab-runner:alpine-v18.0.2' }],
      volumes: [{ name: 's', projected: { sources } }],
    }
    const deployments = [{ metadata: { name: 'r', namespace: 'gl' }, spec: { template: { spec } } }]
    expect(draft([], { deployments }).file.gitlab).toEqual({
      namespace: 'gl',
      tokenSecret: { namespace: 'gl', name: 'tok' },
    })
  })

  it('notes what could not be read', () => {
    const { file, notes } = draft([set('a')], { nodes: blind('forbidden', '403') })
    expect(file.nodePools).toBeUndefined()
    expect(notes).toContainEqual({ path: [], text: 'not readable, so not included: kubernetes/nodes' })
  })

  it('of an empty cluster is empty', () => {
    expect(draft([])).toEqual({ file: {}, notes: [] })
  })
})
