import { describe, expect, it } from 'vitest'

import { readCommon } from '#/runtime/why/read-lists.ts'
import { makeBundle, podObject } from '#test/why/bundle-in-memory.ts'
import type { Contents } from '#test/why/bundle-in-memory.ts'
import { second } from '#test/why/evidence.ts'

const common = (contents: Contents) => readCommon(makeBundle(contents))

describe('the lists of a bundle', () => {
  it('are empty if nothing was collected, with a blind state', async () => {
    const read = await common({})
    expect(read).toMatchObject({
      pods: [],
      nodes: null,
      namespaces: null,
      events: [],
      audit: [],
      jobs: [],
      rateLimit: null,
    })
    expect([...read.states.values()].map(({ kind }) => kind)).toEqual(
      read.states
        .values()
        .map(() => 'blind')
        .toArray(),
    )
  })

  it('are looked if they were read, with the time in meta.json', async () => {
    const coverage = { 'kubernetes/audit': { from: second(0), to: second(9), remark: null } }
    const { states, nodes } = await common({ lists: { pods: [podObject('a')], nodes: [] }, audit: [], coverage })
    expect(states.get('kubernetes/pods')).toEqual({ kind: 'looked', from: null, to: null })
    expect(states.get('kubernetes/audit')).toEqual({ kind: 'looked', from: second(0), to: second(9) })
    expect(nodes).toEqual([])
  })

  it('have each audit log request once: other stages are left out', async () => {
    const line = (stage: string) => ({
      stage,
      verb: 'delete',
      user: { username: 'alice' },
      objectRef: { resource: 'pods', name: 'a' },
    })
    const audit = [line('RequestReceived'), line('ResponseComplete')]
    expect((await common({ audit })).audit).toHaveLength(1)
  })

  it('have the creation time of a namespace, if it has one', async () => {
    const namespaces = [
      { metadata: { name: 'ci', creationTimestamp: '2026-06-06T21:00:00Z' } },
      { metadata: { name: 'x' } },
    ]
    expect((await common({ lists: { namespaces } })).namespaces).toEqual(
      new Map([
        ['ci', second(0)],
        ['x', null],
      ]),
    )
  })
})

describe('jobs', () => {
  const job = (id: number, name: string) => ({ id, name })

  it('are those fetched one by one, plus the other queued ones', async () => {
    const { jobs, states } = await common({ jobs: [job(7, 'single')], queued: [job(7, 'listed'), job(8, 'listed')] })
    expect(jobs.map(({ id, name }) => `${id} ${name}`)).toEqual(['7 single', '8 listed'])
    expect(states.get('github/jobs')?.kind).toBe('looked')
  })

  it('are blind if none could be read', async () => {
    const bundle = { ...makeBundle({ jobs: [job(7, 'a')] }), githubJob: makeBundle({}).githubJob }
    expect((await readCommon(bundle)).states.get('github/jobs')?.kind).toBe('blind')
  })
})

describe('the budget of the API', () => {
  it.each([
    ['as GitHub prints it', { resources: { core: { remaining: 0, limit: 5000 } } }, { remaining: 0, limit: 5000 }],
    ['as older answers print it', { rate: { remaining: 3, limit: 60 } }, { remaining: 3, limit: 60 }],
    ['without a remainder', { rate: { limit: 60 } }, null],
    ['without a limit', { rate: { remaining: 3 } }, null],
  ])('is read %s', async (_what, rateLimit, expected) => {
    expect((await common({ rateLimit })).rateLimit).toEqual(expected)
  })
})

describe('traces of a pod', () => {
  const traces = async (contents: Contents) => (await common(contents)).traces

  it('are its events, with the node of the kubelet or of the scheduling', async () => {
    const event = (changes: object) => ({
      metadata: {},
      involvedObject: { kind: 'Pod', namespace: 'ci', name: 'a', uid: 'u' },
      ...changes,
    })
    const events = [
      event({ source: { host: 'n1' }, message: 'Started' }),
      event({ message: 'Successfully assigned ci/a to n2' }),
      event({ message: 'FailedScheduling' }),
      event({ involvedObject: { kind: 'Node', name: 'n3' } }),
    ]
    expect((await traces({ lists: { events } })).map(({ name, uid, node }) => [name, uid, node])).toEqual([
      ['a', 'u', 'n1'],
      ['a', 'u', 'n2'],
      ['a', 'u', null],
    ])
  })

  describe('that the node controller reports with its node', () => {
    const fallen = (kind: string, name: string, at: string) => ({
      metadata: {},
      reason: 'NodeNotReady',
      message: kind === 'Node' ? `Node ${name} status is now: NodeNotReady` : 'Node is not ready',
      firstTimestamp: at,
      involvedObject: { kind, name, ...(kind === 'Pod' ? { namespace: 'ci' } : {}) },
    })
    const POD = fallen('Pod', 'a', '2026-06-06T21:00:10Z')
    const N1 = fallen('Node', 'n1', '2026-06-06T21:00:10Z')

    it.each([
      ['are on it', [POD, N1], 'n1'],
      ['are on it, whichever event comes first', [N1, POD], 'n1'],
      ['are on none of two that fell together', [POD, N1, fallen('Node', 'n2', '2026-06-06T21:00:11Z')], null],
      ['are on it, if another fell a minute later', [POD, N1, fallen('Node', 'n2', '2026-06-06T21:01:10Z')], 'n1'],
      ['are nowhere without an event of a node', [POD], null],
      ['are nowhere, if only its return is reported', [POD, { ...N1, reason: 'NodeReady' }], null],
    ])('%s', async (_what, events, node) => {
      expect((await traces({ lists: { events } })).map((trace) => trace.node)).toEqual([node])
    })
  })

  it('are audit log lines about pods', async () => {
    const line = (objectRef: object) => ({ verb: 'delete', user: { username: 'x' }, objectRef })
    const audit = [
      line({ resource: 'pods', namespace: 'ci', name: 'a' }),
      line({ resource: 'nodes', name: 'n1' }),
      line({ resource: 'pods', namespace: 'ci' }),
    ]
    expect((await traces({ audit })).map(({ name }) => name)).toEqual(['a'])
  })

  it('are the records of runners, and logs', async () => {
    const ephemeralrunners = [{ metadata: { namespace: 'ci', name: 'b' } }, { metadata: { name: 'c' } }]
    const logs = { 'logs/ci/d/runner.log': '' }
    expect((await traces({ lists: { ephemeralrunners }, logs })).map(({ name }) => name)).toEqual(['b', 'd'])
  })
})
