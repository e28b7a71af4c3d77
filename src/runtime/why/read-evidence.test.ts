import { describe, expect, it } from 'vitest'

import { seen } from '#/core/basics/observed.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import { buildRules } from './judge-bundle.ts'
import { readEvidence } from '#/runtime/why/read-evidence.ts'
import { readCommon } from '#/runtime/why/read-lists.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { makeBundle, makeJournal, podObject } from '#test/why/bundle-in-memory.ts'
import type { Contents } from '#test/why/bundle-in-memory.ts'
import { SUBJECT, second } from '#test/why/evidence.ts'

const rules = buildRules(SIGNATURES)
const WHO: Subject = { ...SUBJECT, uid: 'uid-of-linux-x1', containerIds: [] }
const evidence = async (contents: Contents, subject: Subject = WHO) =>
  readEvidence(await readCommon(makeBundle(contents)), subject, rules)

const event = (changes: object, about: object = {}) => ({
  metadata: { name: 'e' },
  reason: 'Killing',
  message: 'Stopping container runner',
  firstTimestamp: '2026-06-06T21:05:00Z',
  ...changes,
  involvedObject: { kind: 'Pod', namespace: 'ci', name: 'linux-x1', uid: 'uid-of-linux-x1', ...about },
})

describe('the pod of the evidence', () => {
  it('is the one with the UID, not a later pod of the same name', async () => {
    const pods = [podObject('linux-x1', { metadata: { uid: 'new' } })]
    expect((await evidence({ lists: { pods } })).pod).toBeNull()
    expect((await evidence({ lists: { pods: [podObject('linux-x1')] } })).pod?.name).toBe('linux-x1')
  })

  it('has neighbours: the other pods of its node', async () => {
    const pods = [
      podObject('linux-x1'),
      podObject('other'),
      podObject('elsewhere', { spec: { nodeName: 'n2' } }),
      podObject('pending', { spec: { nodeName: undefined } }),
    ]
    expect((await evidence({ lists: { pods } })).neighbours.map(({ name }) => name)).toEqual(['other'])
    expect((await evidence({ lists: { pods } }, { ...WHO, node: null })).neighbours).toEqual([])
  })

  it.each([
    ['is listed', { nodes: [{ metadata: { name: 'n1' } }] }, 'n1', true],
    ['is missing from the list', { nodes: [{ metadata: { name: 'n2' } }] }, 'n1', false],
    ['is unknown without a list', {}, 'n1', null],
    ['is unknown if the node is not known', { nodes: [{ metadata: { name: 'n1' } }] }, null, null],
  ])('has a node that %s', async (_what, lists, node, isNodeListed) => {
    expect((await evidence({ lists }, { ...WHO, node })).isNodeListed).toBe(isNodeListed)
  })
})

const blocked = (pod: string) =>
  event(
    { reason: 'PolicyViolation', message: `Pod ${pod}: [verify-sbom] fail (blocked); no attestation` },
    { kind: 'ClusterPolicy', name: 'verify-images', namespace: undefined },
  )

describe('events of the evidence', () => {
  it.each([
    ['of the pod', event({}), 'subject'],
    ['of the pod, without a UID', event({}, { uid: undefined }), 'subject'],
    ['of a successor', event({}, { uid: 'new' }), null],
    ['of another pod', event({}, { name: 'linux-x10' }), null],
    ['of another namespace', event({}, { namespace: 'prod' }), null],
    ['of its node', event({}, { kind: 'Node', name: 'n1', namespace: '' }), 'node'],
    ['of another node', event({}, { kind: 'Node', name: 'n2', namespace: '' }), null],
    ['of its owner by its name', event({}, { kind: 'EphemeralRunner', name: 'linux-x1' }), 'subject'],
    [
      'of an owner that names it',
      event({ message: 'Error creating: pods "linux-x1" is forbidden' }, { kind: 'ReplicaSet', name: 'x' }),
      'subject',
    ],
    [
      'of an owner whose name begins that of a pod which was never made',
      event({}, { kind: 'ReplicaSet', name: 'linux' }),
      'subject',
    ],
    ['of an owner of others', event({}, { kind: 'ReplicaSet', name: 'windows' }), null],
    ['of a policy that blocked it', blocked('ci/linux-x1'), 'subject'],
    ['of a policy that blocked another', blocked('ci/linux-x10'), null],
    ['of a policy that blocked one of its name elsewhere', blocked('prod/linux-x1'), null],
  ])('%s', async (_what, given, about) => {
    const { events, clues } = await evidence({ lists: { events: [given] } })
    expect(events).toHaveLength(about === null ? 0 : 1)
    if (about !== null && clues.length > 0) expect(clues[0]?.about).toBe(about)
  })

  it('of the pod’s owner count if the pod is known, others do not', async () => {
    const pods = [podObject('linux-x1', { metadata: { ownerReferences: [{ name: 'set-1' }] } })]
    const events = [event({}, { kind: 'ReplicaSet', name: 'set-1' }), event({}, { kind: 'ReplicaSet', name: 'linux' })]
    expect((await evidence({ lists: { pods, events } })).events.map(({ name }) => name)).toEqual(['set-1'])
  })

  it('give clues with count and last time', async () => {
    const events = [event({ count: 3, lastTimestamp: '2026-06-06T21:06:00Z' })]
    expect((await evidence({ lists: { events } })).clues).toMatchObject([
      {
        is: 'kubelet-stops-container',
        source: 'kubernetes/events',
        at: second(300),
        fields: { container: 'runner', count: '3', last: String(second(360)) },
      },
    ])
  })

  it.each([
    ['their namespace is gone', [{ metadata: { name: 'default' } }], [], 'blind'],
    ['their namespace is there', [{ metadata: { name: 'ci' } }], [], 'looked'],
    ['some of them are left', [{ metadata: { name: 'default' } }], [event({}, { name: 'other' })], 'looked'],
    ['no namespace was listed', [], [], 'looked'],
  ])('are %4$s where %1$s', async (_what, namespaces, events, kind) => {
    const { sources } = await evidence({ lists: { namespaces, events } })
    expect(sources.get('kubernetes/events')?.kind).toBe(kind)
  })

  it('are blind if they were not collected', async () => {
    expect((await evidence({})).sources.get('kubernetes/events')?.kind).toBe('blind')
  })
})

describe('the audit log of the evidence', () => {
  const line = (verb: string, objectRef: object, uid?: string) => ({
    verb,
    user: { username: 'alice' },
    objectRef: { resource: 'pods', namespace: 'ci', name: 'linux-x1', ...objectRef },
    ...(uid === undefined ? {} : { requestObject: { preconditions: { uid } } }),
  })

  it.each([
    ['a delete of the pod', line('delete', {}), true],
    ['a delete of the pod with its UID', line('delete', {}, 'uid-of-linux-x1'), true],
    ['a delete of its successor', line('delete', {}, 'new'), false],
    ['a delete of another', line('delete', { name: 'linux-x10' }), false],
    ['a delete in another namespace', line('delete', { namespace: 'prod' }), false],
    ['a delete of all pods', line('deletecollection', { name: undefined }), true],
    ['a create without a name', line('create', { name: undefined }), false],
    ['a read', line('get', {}), false],
    ['a watch', line('watch', {}), false],
    ['a report of its status', line('patch', { subresource: 'status' }), false],
    ['a change of its node', line('patch', { resource: 'nodes', namespace: undefined, name: 'n1' }), true],
    ['its node coming up', line('create', { resource: 'nodes', namespace: undefined, name: 'n1' }), false],
    ['a change of another node', line('patch', { resource: 'nodes', namespace: undefined, name: 'n2' }), false],
    ['a delete of its namespace', line('delete', { resource: 'namespaces', namespace: 'ci', name: 'ci' }), true],
    ['a delete of another namespace', line('delete', { resource: 'namespaces', namespace: 'x', name: 'x' }), false],
    ['a change of its namespace', line('patch', { resource: 'namespaces', namespace: 'ci', name: 'ci' }), false],
    ['a delete of something else', line('delete', { resource: 'secrets' }), false],
  ])('has %s: %s', async (_what, given, counts) => {
    expect((await evidence({ audit: [given] })).auditLog).toHaveLength(counts ? 1 : 0)
  })

  const refused = (verb: string, message: string, status = 'Failure') => ({
    ...line(verb, {}),
    responseStatus: { code: status === 'Failure' ? 403 : 201, status, message },
  })
  const DENIED = 'admission webhook "validation.gatekeeper.sh" denied the request: [no-latest] uses the tag latest'

  it.each([
    ['a create that a webhook refused', refused('create', DENIED), ['pod-refused']],
    [
      'a create that a quota refused',
      refused(
        'create',
        'pods "linux-x1" is forbidden: exceeded quota: ci, requested: pods=1, used: pods=9, limited: pods=9',
      ),
      ['quota-exceeded'],
    ],
    ['a change that a webhook refused', refused('patch', DENIED), []],
    [
      'an eviction that a webhook refused',
      { ...refused('create', DENIED), ...line('create', { subresource: 'eviction' }) },
      [],
    ],
    ['a create that was granted', refused('create', DENIED, 'Success'), []],
  ])('shows why: %s', async (_what, given, is) => {
    const { clues } = await evidence({ audit: [given] })
    expect(clues.map((clue) => [clue.is, clue.source, clue.about])).toEqual(
      is.map((name) => [name, 'kubernetes/audit', 'subject']),
    )
  })
})

describe('what GitHub shows', () => {
  const job = {
    id: 7,
    run_id: 9,
    runner_name: 'linux-x1',
    started_at: '2026-06-06T21:01:00Z',
    completed_at: '2026-06-06T21:10:00Z',
    status: 'completed',
    conclusion: 'failure',
  }

  it('is the job, its annotations at its end, and its log', async () => {
    const message =
      'The self-hosted runner lost communication with the server. Verify the machine is running and has a healthy network connection.'
    const jobLog = `\uFEFF2026-06-06T21:02:00.0000000Z ##[error]Process completed with exit code 3.\nno time`
    const read = await evidence({ jobs: [job], annotations: [{ message }], jobLog })
    expect(read.job?.id).toBe(7)
    expect(read.clues.map(({ is, source, at }) => [is, source, at])).toEqual([
      ['lost-communication', 'github/annotations', second(600)],
      ['step-exited', 'github/logs', second(120)],
    ])
    expect(read.sources.get('github/logs')?.kind).toBe('looked')
  })

  it('is nothing for a subject without a job', async () => {
    const read = await evidence({ jobs: [job], jobLog: 'x' }, { ...WHO, jobId: null })
    expect([read.job, read.sources.get('github/logs')]).toEqual([null, undefined])
  })

  it('is not about this pod if its complete log began after the job, unless the question names the job', async () => {
    const logs = { 'logs/ci/linux-x1/runner.log': '2026-06-06T21:05:00Z Connected to GitHub' }
    expect(await evidence({ jobs: [job], logs })).toMatchObject({ job: null, subject: { jobId: null, runId: null } })
    const asked = await evidence(
      { jobs: [job], logs, lists: { pods: [podObject('linux-x1')] } },
      { ...WHO, isJobAsked: true },
    )
    expect(asked).toMatchObject({ job: { id: 7 }, subject: { jobId: 7 } })
  })
})

describe("ARC's record of the runner", () => {
  const record = (name: string, namespace = 'ci', runnerName?: string) => ({
    metadata: { name, namespace },
    status: { phase: 'Failed', runnerName },
  })

  it.each([
    ['by the name of the pod', record('linux-x1'), WHO, true],
    ['by the name of the runner', record('r-1'), { ...WHO, runner: 'r-1' }, true],
    ['by the name that it gave the runner', record('any', 'ci', 'r-1'), { ...WHO, runner: 'r-1' }, true],
    ['not in another namespace', record('linux-x1', 'prod'), WHO, false],
    ['in any namespace where none is known', record('linux-x1', 'prod'), { ...WHO, namespace: null }, true],
    ['not by another name', record('linux-x2'), WHO, false],
    ['not by the lack of a name', record('any'), { ...WHO, runner: null }, false],
  ])('is found %s', async (_what, given, subject, isFound) => {
    const { ephemeralRunner } = await evidence({ lists: { ephemeralrunners: [given] } }, subject)
    expect(ephemeralRunner?.phase).toBe(isFound ? 'Failed' : undefined)
  })
})

describe('the rest of the evidence', () => {
  it('comes from the journal, the cgroup, the host and the clock of the collector', async () => {
    const read = await evidence({
      journals: { n1: seen(makeJournal([1, 'kubelet', 'x'])) },
      cgroups: { 'cgroup/ci/linux-x1': { 'memory.max': '1' } },
      hosts: { 'host/n1/df': 'full' },
      rateLimit: { rate: { remaining: 0, limit: 60 } },
    })
    expect(read).toMatchObject({ now: second(900), rateLimit: { remaining: 0 }, cgroups: [{ container: null }] })
    expect([...read.host.keys()]).toEqual(['df'])
    expect(['journal', 'cgroup', 'logs'].map((source) => read.sources.get(source)?.kind)).toEqual([
      'looked',
      'looked',
      'blind',
    ])
  })
})
