import { describe, expect, it } from 'vitest'
import { nodes } from './audit.ts'
import { findKnownFault } from './known-fault.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { blind } from '#/core/basics/observed.ts'
import { before, buildEvent, buildNode, nodeEvent, stuck } from '#test/fleets/cluster-parts.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'

const BUSY =
  '/etc/pf.anchors/acme.runners:11: cannot define table vm_sources: Resource busy\npfctl: Syntax error in config file: pf rules not loaded'

describe('a known bootstrap fault', () => {
  it.each([
    ['of report 004', BUSY, 'pfctl -a acme.runners -F all'],
    ['with brackets and other capitals', 'pfctl: cannot define table <blocked_dst>: resource busy', '-a ANCHOR -F all'],
    [
      'inside a longer text',
      `bootstrap: run step firewall: Process exited with status 1: ${BUSY}`,
      'pfctl -a acme.runners -F all',
    ],
  ])('is a busy pf table %s', (_title, message, fix) => {
    expect(findKnownFault([null, message])?.fix).toContain(fix)
  })

  it.each(['dial tcp 10.0.0.1:22: i/o timeout', 'device or resource busy', 'cannot define table x: Permission denied'])(
    'is not %s',
    (message) => {
      expect(findKnownFault([message])).toBeNull()
    },
  )
})

const loops = (lists: Lists, own: Partial<Parameters<typeof nodes.examine>[1]> = {}): readonly Finding[] =>
  nodes
    .examine(buildFleet({ nodes: [buildNode('sting')], ...lists }), { ...WHOLE_FLEET, ...own })
    .filter((one) => one.class === 'bootstrap-loop')

const failed = (count: number, own: { readonly at?: number; readonly first?: number } = {}): Fields =>
  buildEvent('BootstrapFailed', own.at ?? 1, 'm1', {
    kind: 'Machine',
    namespace: 'capi',
    count,
    first: own.first ?? 30,
    message: BUSY,
  })
const machine = (own: Fields = {}): Fields => ({
  kind: 'Machine',
  metadata: { name: 'm1', namespace: 'capi', creationTimestamp: before(9000) },
  spec: {},
  status: { nodeRef: { name: 'sting' }, ...own },
})
const standing = (since: number): Fields => ({
  conditions: [{ type: 'InfrastructureReady', status: 'False', message: BUSY, lastTransitionTime: before(since) }],
})

describe('a machine whose bootstrap loops on a busy pf table', () => {
  it('is critical, named, and has the fix; its node is reported beside it', () => {
    const found = loops({ events: [failed(48)], machines: [machine()] })
    expect(found.map(({ subject, severity }) => `${subject.kind} ${subject.name} ${severity}`)).toEqual([
      'Node sting warning',
      'Machine m1 critical',
    ])
    const hint = found[1]?.hint ?? ''
    expect(hint).toContain('pfctl -a acme.runners -F all')
    expect(hint).toContain('release the operator image')
    expect(hint).toContain('kubectl cordon sting')
  })

  it('is reported for the asked node only', () => {
    const asked = (name: string) => loops({ events: [failed(48)], machines: [machine()] }, { nodes: [name] }).length
    expect([asked('sting'), asked('honey')]).toEqual([2, 0])
  })

  it('is known without events, by a condition that has stood for an hour', () => {
    const found = (since: number) => loops({ machines: [machine(standing(since))] }).map(({ severity }) => severity)
    expect(found(120)).toEqual(['critical'])
    expect(found(20)).toEqual([])
    const unseen = { machines: [machine(standing(120))], events: blind('forbidden', '403') }
    expect(loops(unseen).map(({ severity }) => severity)).toEqual(['critical'])
  })

  it('has recovered once its bootstrap succeeded', () => {
    const done = buildEvent('BootstrapSucceeded', 1, 'm1', { kind: 'Machine', namespace: 'capi' })
    expect(loops({ events: [failed(48, { at: 2 }), done], machines: [machine()] })).toEqual([])
  })

  it('without a Machine is the node itself', () => {
    const events = [nodeEvent('BootstrapFailed', 1, 'sting', { count: 9, first: 30, message: BUSY })]
    expect(loops({ events }).map(({ subject, severity }) => [subject.kind, severity])).toEqual([['Node', 'critical']])
  })

  it('that never became a node is one finding', () => {
    const [found, ...more] = loops({ nodes: [], events: [failed(9)] })
    expect([found?.subject.kind, found?.severity, more.length]).toEqual(['Machine', 'critical', 0])
  })

  it('explains why its node starts no pods', () => {
    const fleet = buildFleet({
      nodes: [buildNode('sting')],
      events: [failed(48)],
      machines: [machine()],
      pods: [stuck('a', 9), stuck('b', 12)],
    })
    const [first] = nodes.examine(fleet, WHOLE_FLEET)
    expect(first?.class).toBe('never-starts-pods')
    expect(first?.evidence.join('\n')).toContain('Machine m1: pf cannot load its rules')
    expect(first?.hint).toContain('pfctl -a acme.runners -F all')
  })
})

describe('a node that starts no pods', () => {
  it('is not also in a bootstrap loop for the same failures of the same pods', () => {
    const events = [
      buildEvent('FailedCreatePodSandBox', 1, 'a', { count: 90, first: 11, host: 'sting' }),
      buildEvent('NetworkNotReady', 1, 'b', { count: 90, first: 11, host: 'sting' }),
    ]
    const classes = (pods: readonly Fields[]): readonly string[] =>
      nodes
        .examine(buildFleet({ nodes: [buildNode('sting')], pods, events }), WHOLE_FLEET)
        .map((finding) => finding.class)
    expect(classes([stuck('a', 9), stuck('b', 12)])).toEqual(['never-starts-pods'])
    expect(classes([stuck('a', 4), stuck('b', 4)])).toEqual(['bootstrap-loop'])
  })
})
