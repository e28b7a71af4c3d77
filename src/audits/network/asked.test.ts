import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { before, dead, buildEvent, buildNode, nodeEvent, runnerPod, running } from '#test/fleets/cluster-parts.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { RUNNER, asked, at, classes, findFinding } from '#test/fleets/network-case.ts'
import type { NetworkCase } from '#test/fleets/network-case.ts'

const QUIET = 'no-cluster-evidence'
const job = (runner: string, completed: number | null): Fields => ({
  id: 7,
  status: completed === null ? 'in_progress' : 'completed',
  runner_name: runner,
  completed_at: completed === null ? null : before(completed),
})
const jobs = (...rows: readonly Fields[]): Partial<Snapshot> => ({
  github: {
    runners: blind('not-asked', ''),
    queuedJobs: blind('not-asked', ''),
    jobs: seen(rows),
    rateLimit: blind('not-asked', ''),
  },
})
const findWindow = (own: NetworkCase): unknown => asked(own)[0]?.fields?.['window']
const around = (end: number): unknown => ({
  from: before(end + 20).replace('.000', ''),
  to: before(end - 2).replace('.000', ''),
})

describe('the window', () => {
  it.each<readonly [string, number, NetworkCase]>([
    ['lies around the end of the pod', 10, {}],
    ["lies around GitHub's word where there is one", 4, { others: jobs(job(RUNNER, 4)) }],
    ['does not take the word on another job', 10, { others: jobs(job('other', 4)) }],
    ['does not take a job that still runs', 10, { others: jobs(job(RUNNER, null)) }],
    ['lies around the moment that was asked for', 15, { question: { at: at(15) } }],
    ['lies around a time without a runner', 15, { question: { at: at(15), runner: null } }],
    ['lies around now while the runner lives', 0, { lists: { pods: [runnerPod(RUNNER, { state: running(60) })] } }],
    [
      'lies around the last that is known of a pod that is gone',
      12,
      { lists: { pods: [], events: [buildEvent('Killing', 12, RUNNER, { host: 'sting' })] } },
    ],
    [
      'lies around the deletion of a pod',
      3,
      { lists: { pods: [runnerPod(RUNNER, { state: running(60), deleted: 3 })] } },
    ],
  ])('%s', (_title, end, own) => {
    expect(findWindow(own)).toEqual(around(end))
  })

  it.each<readonly [string, boolean, number]>([
    ['begins 20 minutes before the end', true, 30],
    ['has not begun before', false, 30.1],
    ['ends 2 minutes after it', true, 8],
    ['is over then', false, 7.9],
  ])('%s', (_title, isIn, minutes) => {
    const lists = { events: [nodeEvent('NodeNotReady', minutes, 'sting', { reporter: 'node-controller' })] }
    expect(classes({ lists })).toEqual([isIn ? 'node-not-ready' : QUIET])
  })
})

describe('the runner', () => {
  const notReady = [nodeEvent('NodeNotReady', 12, 'sting', { reporter: 'node-controller' })]
  it.each<readonly [string, string, Lists]>([
    ['its pod', RUNNER, {}],
    ['a name with something behind that of its pod', `${RUNNER}-7f3a`, {}],
    ['its namespace and name', `arc/${RUNNER}`, {}],
    [
      'its EphemeralRunner',
      'github-name',
      { ephemeralrunners: [{ metadata: { name: RUNNER, namespace: 'arc' }, status: { runnerName: 'github-name' } }] },
    ],
    [
      'events of a pod that is gone',
      RUNNER,
      { pods: [], events: [...notReady, buildEvent('Killing', 10, RUNNER, { host: 'sting' })] },
    ],
    [
      'the word of the scheduler',
      RUNNER,
      {
        pods: [],
        events: [
          ...notReady,
          buildEvent('Scheduled', 40, RUNNER, {
            message: `Successfully assigned arc/${RUNNER} to sting`,
            reporter: 'default-scheduler',
          }),
          buildEvent('TaintManagerEviction', 10, RUNNER, { reporter: 'taint' }),
        ],
      },
    ],
  ])('is found by %s', (_title, runner, lists) => {
    expect(classes({ question: { runner }, lists: { events: notReady, ...lists } })).toContain('node-not-ready')
  })

  it('is the pod with the longest matching name', () => {
    const short = runnerPod('lane-x7k2p', { node: 'honey', state: running(60) })
    const own = { question: { runner: `${RUNNER}-7f3a` }, lists: { pods: [dead(RUNNER, 10), short], events: notReady } }
    expect(findFinding(own, 'node-not-ready')?.subject.name).toBe('sting')
  })

  it('is not the next pod of the same name', () => {
    const own = {
      others: jobs(job(RUNNER, 10)),
      lists: {
        pods: [runnerPod(RUNNER, { node: 'honey', age: 9, state: running(8.9), uid: 'new' })],
        events: [...notReady, buildEvent('Started', 40, RUNNER, { uid: 'old', host: 'sting' })],
      },
    }
    expect(findFinding(own, 'node-not-ready')?.subject.name).toBe('sting')
  })

  it.each<readonly [string, NetworkCase]>([
    ['nobody knows', { question: { runner: 'nobody' } }],
    ['nobody asked for', { question: { runner: null } }],
    ['has no end', { lists: { pods: [], events: [buildEvent('Started', 40, RUNNER, { host: 'sting' })] } }],
  ])('that %s cannot be judged', (_title, own) => {
    expect(classes(own)).toEqual(['blind'])
  })

  it('with an unknown node is judged by the rest, and never clear', () => {
    const own = { lists: { pods: [] }, others: jobs(job(RUNNER, 10)) }
    expect(asked(own).map(({ class: name, subject }) => `${name} ${subject.name}`)).toEqual(['blind kubernetes/pods'])
  })
})

const LONG = dead(RUNNER, 10, { lived: 100 })

describe('no evidence', () => {
  it.each<readonly [string, string, NetworkCase]>([
    ['is an answer if all sources were observing', QUIET, {}],
    ['is none without pods', 'blind', { lists: { pods: blind('forbidden', '403') }, others: jobs(job(RUNNER, 10)) }],
    ['is also reported for a time', QUIET, { question: { runner: null, at: at(10) } }],
    [
      'is none where events begin within the window',
      'blind',
      { others: { coverage: new Map([['kubernetes/events', { from: at(29), to: null, remark: null }]]) } },
    ],
    [
      'is one where events begin before it',
      QUIET,
      { others: { coverage: new Map([['kubernetes/events', { from: at(30), to: null, remark: null }]]) } },
    ],
    [
      'is none where events end before the end',
      'blind',
      { others: { coverage: new Map([['kubernetes/events', { from: null, to: at(11), remark: null }]]) } },
    ],
    [
      'is one where events reach to the end',
      QUIET,
      { others: { coverage: new Map([['kubernetes/events', { from: null, to: at(10), remark: null }]]) } },
    ],
    ['is none if the namespace is gone', 'blind', { lists: { namespaces: [{ metadata: { name: 'other' } }] } }],
    [
      'is none where the namespace is younger than the end',
      'blind',
      { lists: { namespaces: [{ metadata: { name: 'arc', creationTimestamp: before(9) } }] } },
    ],
    [
      'is one where the namespace is older',
      QUIET,
      { lists: { namespaces: [{ metadata: { name: 'arc', creationTimestamp: before(11) } }] } },
    ],
    [
      'is none an hour after the window, for events are gone by then',
      'blind',
      { question: { at: at(41) }, lists: { pods: [LONG] } },
    ],
    ['is one up to then', QUIET, { question: { at: at(40) }, lists: { pods: [LONG] } }],
    [
      'is one later where an event is older',
      QUIET,
      { question: { at: at(41) }, lists: { pods: [LONG], events: [buildEvent('Pulled', 61, 'x')] } },
    ],
  ])('%s', (_title, expected, own) => {
    expect(classes(own)).toEqual([expected])
  })

  it.each(['kubernetes/nodes', 'kubernetes/events', 'kubernetes/leases'] as const)('is none without %s', (source) => {
    const resource = source.slice('kubernetes/'.length)
    expect(classes({ lists: { [resource]: blind('forbidden', '403') } })).toEqual([])
  })

  it('is info, about the runner', () => {
    const [finding] = asked({})
    expect(finding).toMatchObject({
      severity: 'info',
      subject: { name: RUNNER },
      fields: { runner: RUNNER, node: 'sting' },
    })
  })
})

describe('a time without a runner', () => {
  it('covers every node, or the named ones', () => {
    const lists = {
      nodes: ['sting', 'honey'].map((name) => buildNode(name)),
      events: ['sting', 'honey'].map((name) => nodeEvent('Rebooted', 12, name)),
      pods: [dead('x', 3)],
    }
    const question = { runner: null, at: at(10) }
    expect(asked({ lists, question }).map(({ subject }) => subject.name)).toEqual(['sting', 'honey'])
    expect(asked({ lists, question: { ...question, nodes: ['honey'] } }).map(({ subject }) => subject.name)).toEqual([
      'honey',
    ])
  })
})
