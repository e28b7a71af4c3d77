import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { scaleSet } from '#test/fleets/arc-objects.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { probeFleet } from './probe.ts'

const ANSWER = ['variable ATTIC_SERVER set', 'target ATTIC_SERVER attic 8080 reached', 'done']

type World = {
  readonly status?: (asked: number) => Fields
  readonly log?: Kubernetes['logTail']
  readonly create?: (object: KubeObject) => WriteOutcome | null
  readonly delete?: (tries: number) => WriteOutcome | null
}

const DONE = { phase: 'Succeeded', containerStatuses: [{ name: 'probe', state: { terminated: { exitCode: 0 } } }] }
const unused = (): never => {
  throw new Error('nobody asks this')
}

/** A cluster with only pods, which implements the port. */
function buildCluster(given: World = {}) {
  const pods = new Map<string, KubeObject>()
  const made: KubeObject[] = []
  const deleted: string[] = []
  let [asked, tries] = [0, 0]
  const podKey = ({ namespace, name }: { readonly namespace?: string; readonly name: string }): string =>
    `${namespace}/${name}`
  const kubernetes: Kubernetes = {
    create: async ({ namespace = '', object }) => {
      const name = textAt(object, 'metadata', 'name') ?? ''
      const metadata = { ...(object['metadata'] as object), namespace, name, uid: `uid-${name}`, resourceVersion: '1' }
      const pod: KubeObject = { ...object, apiVersion: 'v1', kind: 'Pod', metadata }
      const refusal = given.create?.(pod) ?? null
      if (refusal === null || refusal.kind === 'blind') pods.set(podKey(metadata), pod)
      made.push(pod)
      return refusal ?? { kind: 'done', object: pod }
    },
    get: async (request, signal) => {
      if (signal.aborted) return blind('stopped', 'aborted')
      const pod = pods.get(podKey(request))
      asked += 1
      return pod === undefined ? none() : seen({ ...pod, status: given.status?.(asked) ?? DONE })
    },
    delete: async ({ preconditions, ...request }, signal) => {
      tries += 1
      const refusal = given.delete?.(tries) ?? null
      if (signal.aborted) return { kind: 'blind', reason: { code: 'stopped', detail: 'aborted' }, applied: 'unknown' }
      if (refusal !== null) return refusal
      if (pods.get(podKey(request))?.metadata.uid !== preconditions.uid) return { kind: 'gone' }
      pods.delete(podKey(request))
      deleted.push(request.name)
      return { kind: 'done', object: null }
    },
    logTail:
      given.log ??
      (async () =>
        seen({ text: ANSWER.map((line) => `2026-06-01T12:00:00Z signalbox-probe ${line}\n`).join(''), cut: false })),
    list: unused,
    watch: unused,
    patch: unused,
    evict: unused,
    followLog: unused,
    raw: unused,
    reviewToken: unused,
    canI: unused,
  }
  return { kubernetes, pods, made, deleted }
}

const attic = { env: [{ name: 'ATTIC_SERVER', value: 'http://attic:8080' }] }

function fleetWith(sets: readonly Fields[] = [scaleSet('lane', { runner: attic })]) {
  return buildFleet({ autoscalingrunnersets: sets })
}

function buildOptions(controller = new AbortController()) {
  let now = 0
  const lines: string[] = []
  return {
    lines,
    signal: controller.signal,
    progress: (line: string) => {
      lines.push(line)
    },
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        now += ms
      },
    },
  }
}

describe('a probe', () => {
  it('has results, and its pod is deleted', async () => {
    const world = buildCluster({ status: (asked) => (asked < 3 ? { phase: 'Pending' } : DONE) })
    const answers = await probeFleet(world.kubernetes, fleetWith(), buildOptions())
    expect(answers).toMatchObject({
      kind: 'seen',
      value: [
        {
          sets: [{ namespace: 'arc-runners', name: 'lane' }],
          trouble: null,
          targets: [{ host: 'attic', port: 8080, result: 'reached' }],
          variables: [{ name: 'ATTIC_SERVER', isSet: true }],
        },
      ],
    })
    expect([world.pods.size, world.deleted]).toEqual([0, [world.made[0]?.metadata.name]])
  })

  it('is not created if there is nothing to check', async () => {
    const world = buildCluster()
    expect(await probeFleet(world.kubernetes, fleetWith([scaleSet('plain')]), buildOptions())).toEqual(none())
    expect(world.made).toEqual([])
  })

  it('is shared by sets with equal runners', async () => {
    const world = buildCluster()
    const other = { env: [{ name: 'ATTIC_SERVER', value: 'http://other:8080' }] }
    const sets = [scaleSet('a', { runner: attic }), scaleSet('b', { runner: attic }), scaleSet('c', { runner: other })]
    const answers = await probeFleet(world.kubernetes, fleetWith(sets), buildOptions())
    expect(answers.kind === 'seen' && answers.value.map(({ sets: own }) => own.map(({ name }) => name))).toEqual([
      ['a', 'b'],
      ['c'],
    ])
  })

  it.each([
    [
      'its creation is refused',
      { create: () => ({ kind: 'refused', message: 'exceeded quota' }) as const },
      'exceeded quota',
      0,
    ],
    [
      'its creation is forbidden',
      { create: () => ({ kind: 'forbidden', message: 'no right' }) as const },
      'no right',
      0,
    ],
    ['its namespace is gone', { create: () => ({ kind: 'gone' }) as const }, 'its namespace does not exist', 0],
    [
      'nobody knows whether it was made',
      {
        create: () =>
          ({ kind: 'blind', reason: { code: 'timeout', detail: 'no answer' }, applied: 'unknown' }) as const,
      },
      'no answer',
      1,
    ],
    [
      'its image does not come',
      {
        status: () => ({
          phase: 'Pending',
          containerStatuses: [{ name: 'probe', state: { waiting: { reason: 'ErrImagePull', message: '401' } } }],
        }),
      },
      'ErrImagePull: 401',
      1,
    ],
    [
      'no node takes it',
      {
        status: () => ({
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }],
        }),
      },
      '0/3 nodes are available',
      1,
    ],
    ['it does not end', { status: () => ({ phase: 'Running' }) }, 'did not finish in time', 1],
    ['its log cannot be read', { log: async () => blind('forbidden', 'no pods/log') }, 'no pods/log', 1],
    ['its image has no shell', { log: async () => none() }, 'may have no /bin/sh', 1],
    [
      'its log breaks off',
      { log: async () => seen({ text: 'signalbox-probe variable A set\n', cut: false }) },
      'ended before it was complete',
      1,
    ],
  ])('where %s is blind, and leaves no pod', async (_, given, why, made) => {
    const world = buildCluster(given)
    const answers = await probeFleet(world.kubernetes, fleetWith(), buildOptions())
    expect(answers.kind === 'blind' && answers.reason.detail).toContain(why)
    expect([world.pods.size, world.deleted.length]).toEqual([0, made])
  })

  it('that fails is reported together with one that works', async () => {
    const sets = [scaleSet('a', { runner: attic }), scaleSet('b', { namespace: 'closed', runner: attic })]
    const create = (pod: KubeObject) =>
      pod.metadata.namespace === 'closed' ? ({ kind: 'forbidden', message: 'no right' } as const) : null
    const answers = await probeFleet(buildCluster({ create }).kubernetes, fleetWith(sets), buildOptions())
    expect(answers.kind === 'seen' && answers.value.map(({ trouble }) => trouble)).toEqual([
      null,
      'cannot create its pod: no right',
    ])
  })

  it('that is interrupted leaves no pod', async () => {
    const controller = new AbortController()
    const world = buildCluster({
      status: (asked) => {
        if (asked === 2) controller.abort()
        return { phase: 'Running' }
      },
    })
    const answers = await probeFleet(world.kubernetes, fleetWith(), buildOptions(controller))
    expect(answers).toMatchObject({ kind: 'blind', reason: { code: 'stopped' } })
    expect([world.pods.size, world.deleted.length]).toEqual([0, 1])
  })

  it('is not created after an interruption', async () => {
    const controller = new AbortController()
    controller.abort()
    const world = buildCluster()
    await probeFleet(world.kubernetes, fleetWith(), buildOptions(controller))
    expect(world.made).toEqual([])
  })

  it('rethrows a bug, and leaves no pod', async () => {
    const world = buildCluster({ log: () => Promise.reject(new Error('a bug')) })
    await expect(probeFleet(world.kubernetes, fleetWith(), buildOptions())).rejects.toThrow('a bug')
    expect(world.pods.size).toBe(0)
  })

  it('is deleted until it is gone, and a failure is reported', async () => {
    const stubborn = { kind: 'blind', reason: { code: 'timeout', detail: 'x' }, applied: 'unknown' } as const
    const slow = buildCluster({ delete: (tries) => (tries < 3 ? stubborn : null) })
    await probeFleet(slow.kubernetes, fleetWith(), buildOptions())
    expect(slow.pods.size).toBe(0)
    const means = buildOptions()
    await probeFleet(buildCluster({ delete: () => stubborn }).kubernetes, fleetWith(), means)
    expect(means.lines.join('\n')).toMatch(/delete it with kubectl -n arc-runners delete pod signalbox-probe-/)
  })
})
