import { describe, expect, it } from 'vitest'

import { readEnding } from './ending.ts'
import type { Evidence } from './evidence.ts'
import type { Fact } from './fact.ts'
import { readNodeState } from './node-state.ts'
import {
  END,
  makeCondition,
  endedPod,
  eventFact,
  makeEvidence,
  journalFact,
  makeNode,
  makePod,
  second,
} from '#test/why/evidence.ts'

const nodeState = (changes: Partial<Evidence>) => {
  const evidence = makeEvidence({ pod: endedPod(255), ...changes })
  return readNodeState(evidence, readEnding(evidence))
}
const names = (facts: readonly Fact[]) => facts.map(({ is }) => is)
const boot = (id: string, from: number, to: number) => ({ id, from: second(from), to: second(to) })
const ofNode = (is: string, changes: Parameters<typeof journalFact>[1] = {}) =>
  journalFact(is, { about: 'node', ...changes })

describe('a node that was lost', () => {
  it('is missing from a list of nodes that was read', () => {
    expect(names(nodeState({ isNodeListed: false }).gone)).toEqual(['node-missing'])
    expect(nodeState({ isNodeListed: null }).gone).toEqual([])
    expect(nodeState({ isNodeListed: true }).gone).toEqual([])
  })

  it.each(['kernel-panic', 'node-rebooted'])('is shown by %s near the end, about the node', (is) => {
    expect(names(nodeState({ clues: [ofNode(is)] }).gone)).toEqual([is])
    expect(nodeState({ clues: [journalFact(is)] }).gone).toEqual([])
    expect(nodeState({ clues: [ofNode(is, { at: END - 121 })] }).gone).toEqual([])
    expect(nodeState({ clues: [ofNode(is, { at: END + 61 })] }).gone).toEqual([])
    expect(names(nodeState({ clues: [ofNode(is, { at: null })] }).gone)).toEqual([is])
  })

  it('is not shown by other lines about it', () => {
    expect(nodeState({ clues: [ofNode('io-error')] }).gone).toEqual([])
  })

  it('is shown by the garbage collector', () => {
    const pod = (reason: string, type = 'DisruptionTarget') =>
      makePod({ conditions: [makeCondition(type, { reason })] })
    expect(names(nodeState({ pod: pod('DeletionByPodGC') }).gone)).toEqual(['garbage-collected'])
    expect(nodeState({ pod: pod('DeletionByTaintManager') }).gone).toEqual([])
    expect(nodeState({ pod: pod('DeletionByPodGC', 'Ready') }).gone).toEqual([])
    expect(nodeState({ pod: null }).gone).toEqual([])
  })
})

describe('boots of the node', () => {
  it.each([
    [
      'one that broke off at the end, and a new one after it, are a change',
      [boot('a', 0, END), boot('b', END + 40, END + 200)],
      ['boot-changed'],
    ],
    ['one that continues is not', [boot('a', 0, END + 200)], []],
    [
      'one that went on for more than a minute was ended by something else',
      [boot('a', 0, END + 61), boot('b', END + 90, END + 200)],
      [],
    ],
    ['a change before the runner started is not', [boot('a', -900, -100), boot('b', -60, END + 200)], []],
    ['one that broke off long after a change is not', [boot('x', -900, -100), boot('a', 0, END)], []],
    ['one that began just before the end is not a new one', [boot('a', END - 3, END + 30)], []],
    ['a later boot alone is not', [boot('b', END + 40, END + 200)], []],
    ['no boot is not', [], []],
  ])('%s', (_what, boots, expected) => {
    expect(names(nodeState({ boots }).gone)).toEqual(expected)
  })

  it('prove nothing if the time of the end is not known', () => {
    const boots = [boot('a', 0, END), boot('b', END + 40, END + 200)]
    expect(nodeState({ pod: makePod(), boots })).toMatchObject({ gone: [], sameBoot: null })
  })

  it.each([
    ['goes on over the end', [boot('a', 0, END + 5)], true],
    ['ends with it', [boot('a', 0, END + 4)], false],
    ['begins after it', [boot('a', END + 1, END + 90)], false],
    ['is the second of two', [boot('a', -90, -50), boot('b', -40, END + 90)], true],
  ])('the same boot: one that %s', (_what, boots, answer) => {
    expect(nodeState({ boots }).sameBoot !== null).toBe(answer)
  })
})

describe('a node that fell silent', () => {
  const ready = (status: string, since: number | null) =>
    makeNode({
      conditions: [
        makeCondition('MemoryPressure', { status: 'Unknown' }),
        makeCondition('Ready', { status, since: since === null ? null : second(since) }),
      ],
    })

  it.each([
    ['is shown by its condition', ready('Unknown', END + 40), 1],
    ['is shown when it is not ready', ready('False', END), 1],
    ['is shown by a condition without a time', ready('Unknown', null), 1],
    ['is not shown while it is ready', ready('True', END), 0],
    ['is not shown when it was so long before', ready('Unknown', END - 121), 0],
    ['is not shown without a condition', makeNode({ conditions: [] }), 0],
  ])('%s', (_what, node, count) => {
    expect(nodeState({ node }).silent).toHaveLength(count)
  })

  it('counts at any time if the end is not known', () => {
    expect(nodeState({ pod: makePod(), node: ready('Unknown', -9000) }).silent).toHaveLength(1)
  })

  it('is shown by an event near the end', () => {
    expect(nodeState({ clues: [eventFact('node-not-ready', { about: 'node' })] }).silent).toHaveLength(1)
    expect(nodeState({ clues: [eventFact('node-not-ready', { about: 'node', at: END + 61 })] }).silent).toEqual([])
  })
})

describe('a runtime that failed', () => {
  const CASES: readonly (readonly [what: string, clue: Fact, counts: boolean])[] = [
    ['the shim of this pod', journalFact('shim-lost'), true],
    ['the shim of another', ofNode('shim-lost'), false],
    ['containerd that exited', ofNode('service-exited', { fields: { unit: 'containerd.service' } }), true],
    ['the kubelet as a failed unit', ofNode('unit-failed', { fields: { unit: 'kubelet.service' } }), true],
    ['docker', ofNode('service-exited', { fields: { unit: 'docker.service' } }), true],
    ['cri-o', ofNode('service-exited', { fields: { unit: 'crio.service' } }), true],
    ['another unit', ofNode('unit-failed', { fields: { unit: 'chronyd.service' } }), false],
    ['a unit without a name', ofNode('unit-failed'), false],
    ['a runtime that cannot be reached', ofNode('runtime-unreachable'), true],
    ['a PLEG that is not healthy', ofNode('pleg-unhealthy'), true],
    ['a kubelet that starts', ofNode('node-agent-started'), true],
    ['anything else', ofNode('io-error'), false],
    ['one well before the end', ofNode('runtime-unreachable', { at: END - 121 }), false],
  ]

  it.each(CASES)('%s', (_what, clue, counts) => {
    expect(nodeState({ clues: [clue] }).runtime).toEqual(counts ? [clue] : [])
  })

  it.each(['io-error', 'filesystem-error'])('can come from a failed disk: %s', (is) => {
    expect(nodeState({ clues: [ofNode(is)] }).storage).toHaveLength(1)
    expect(nodeState({ clues: [ofNode(is, { at: END - 121 })] }).storage).toEqual([])
    expect(nodeState({ clues: [ofNode('shim-lost')] }).storage).toEqual([])
  })
})

describe('other pods of the node', () => {
  const lost = (at: number | null, code = 255) =>
    endedPod(code, { finishedAt: at === null ? null : second(at) }, { name: `other-${at}` })

  it.each([
    ['two that were lost in the same minutes count', [lost(END), lost(END + 120)], true],
    ['one alone does not', [lost(END)], false],
    ['those lost later did not', [lost(END), lost(END + 121)], false],
    ['those that ended in another way did not', [lost(END), lost(END, 137)], false],
    ['those without a time did not', [lost(END), lost(null)], false],
    ['those that run did not', [lost(END), makePod({ name: 'other' })], false],
    ['those without a container did not', [lost(END), makePod({ name: 'other', containers: [] })], false],
  ])('%s', (_what, neighbours, answer) => {
    expect(nodeState({ neighbours }).peers !== null).toBe(answer)
  })

  it('prove nothing if the time of the end is not known', () => {
    expect(nodeState({ pod: makePod(), neighbours: [lost(END), lost(END + 1)] }).peers).toBeNull()
  })
})
