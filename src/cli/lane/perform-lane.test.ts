import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { silentProgress } from '#/cli/output/progress.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { GitHubBusy } from '#/core/lane/judge-drain.ts'
import type { LaneOrder } from '#/core/lane/plan-change.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { LaneReads } from '#/runtime/lane/read-lane.ts'
import { laneExit } from './lane-exit.ts'
import { performLane } from './perform-lane.ts'
import type { LaneOutcome } from './perform-lane.ts'
import { renderLane } from './render-lane.ts'

const SET = { namespace: 'n', name: 'lane' }
const RUNNING = { running: { startedAt: '2026-01-01T00:00:00Z' } }
const LABELS = { 'actions.github.com/scale-set-name': 'lane' }

function object(kind: string, name: string, more: object): KubeObject {
  const metadata = { name, namespace: 'n', uid: `uid-${name}`, resourceVersion: '1', labels: LABELS }
  return { apiVersion: 'v1', kind, metadata, ...more }
}

/** A healthy set with one runner; ARC follows each change at once, unless it is down. */
function openLane({ isArcDown = false, job = {} }: { readonly isArcDown?: boolean; readonly job?: object } = {}) {
  const spec = { minRunners: 2 as number | null, maxRunners: 8 as number | null }
  const heard = { ...spec }
  let annotations: Record<string, string> = {}
  const stop = new AbortController()
  const { store } = openMemoryStore()
  const notices: string[] = []
  const lists: Readonly<Record<string, () => KubeObject>> = {
    autoscalingrunnersets: () => set(),
    pods: () => object('Pod', 'l', { status: { containerStatuses: [{ name: 'listener', state: RUNNING }] } }),
    ephemeralrunnersets: () => object('EphemeralRunnerSet', 'lane-1', {}),
    ephemeralrunners: () => object('EphemeralRunner', 'r', { status: { phase: 'Running', ...job } }),
    autoscalinglisteners: () =>
      object('AutoscalingListener', 'l', {
        spec: { ...heard, autoscalingRunnerSetName: 'lane', autoscalingRunnerSetNamespace: 'n' },
      }),
    deployments: () =>
      object('Deployment', 'c', {
        spec: {
          template: { spec: { containers: [{ name: 'manager', image: 'x/gha-runner-scale-set-controller:0.14.2' }] } },
        },
      }),
  }
  const set = (): KubeObject => {
    const made = object('AutoscalingRunnerSet', 'lane', { spec, status: { phase: 'Running' } })
    return { ...made, metadata: { ...made.metadata, annotations } }
  }
  const kubernetes: LaneReads['kubernetes'] = {
    list: async ({ resource }) => {
      const one = lists[resource.plural]
      return one === undefined ? none() : seen({ items: [one()], resourceVersion: '1' })
    },
    logTail: async () =>
      seen({ text: `Calculated target runner count min=${heard.minRunners} max=${heard.maxRunners}`, cut: false }),
  }
  const clock = { now: 0 }
  const perform = async (
    order: LaneOrder,
    given: {
      readonly drainMs?: number | null
      readonly github?: Observed<readonly GitHubBusy[]>
      readonly answer?: string
      readonly isStopped?: boolean
    } = {},
  ): Promise<LaneOutcome> =>
    await performLane(
      { set: SET, order, isConfirmed: given.answer === undefined, proveMs: 5_000, drainMs: given.drainMs ?? null },
      {
        reads: { kubernetes, namespaces: null, signal: stop.signal },
        acts: {
          setCap: async (_, { cap, annotation }) => {
            Object.assign(spec, { minRunners: cap.min, maxRunners: cap.max })
            annotations = annotation.value === null ? {} : { [annotation.key]: annotation.value }
            if (!isArcDown) Object.assign(heard, spec)
            return { kind: 'done' }
          },
        },
        book: { ledger: store.ledger, actor: 'person' },
        clock: {
          now: () => clock.now,
          sleep: async (ms) => {
            clock.now += ms
            if (given.isStopped === true) stop.abort()
          },
        },
        terminal: {
          ask: async (question) => (notices.push(question), given.answer ?? ''),
          notice: (text) => void notices.push(text),
          progress: () => silentProgress,
        },
        askGitHub: async () => given.github ?? blind('not-asked', 'no credential'),
      },
    )
  return { perform, spec, notices, rows: () => store.ledger.list({ limit: 10 }) }
}

function print(outcome: LaneOutcome): { readonly exit: number; readonly text: string } {
  if (outcome.kind === 'unread') throw new Error('the set was not read')
  return {
    exit: laneExit(outcome),
    text: renderLane(outcome, 'x')
      .sections.map(({ text }) => text)
      .join('\n'),
  }
}

type Waited = { readonly job?: object; readonly github?: Observed<readonly GitHubBusy[]> }

describe('signalbox lane', () => {
  it('proves the change, and waits no longer than for it', async () => {
    const lane = openLane()
    const { exit, text } = print(await lane.perform({ kind: 'quiesce' }))
    expect(text).toContain('n/lane: minRunners 2 → 0, maxRunners 8 → 0')
    expect(text).toContain('The listener proves it: pod l logs min=0 max=0.')
    expect(exit).toBe(0)
  })

  it('says that nothing proves the change, with exit 1', async () => {
    const { exit, text } = print(await openLane({ isArcDown: true }).perform({ kind: 'quiesce' }))
    expect(text).toContain('the listener has not proved it: AutoscalingListener l still has minRunners 2, maxRunners 8')
    expect(exit).toBe(1)
  })

  it.each([
    ['a job still runs', { job: { jobDisplayName: 'build' } }, { exit: 1, words: 'Jobs still run' }],
    ['nobody knows', {}, { exit: 3, words: 'GitHub could not be asked' }],
    ['GitHub says that nobody is busy', { github: seen([]) }, { exit: 0, words: 'The last job has ended' }],
  ])('waits for the last job: %s', async (_, { github, ...wish }: Waited, expected) => {
    const asked = github === undefined ? {} : { github }
    const printed = print(await openLane(wish).perform({ kind: 'quiesce' }, { drainMs: 12_000, ...asked }))
    expect(printed.text).toContain(expected.words)
    expect(printed.exit).toBe(expected.exit)
  })

  it('says after Ctrl-C how the set was left, and closes its row', async () => {
    const lane = openLane({ job: { jobDisplayName: 'build' } })
    await lane.perform({ kind: 'quiesce' }, { drainMs: 60_000, isStopped: true })
    expect(lane.notices.at(-1)).toBe(
      'interrupted, and n/lane stays changed: minRunners 2 → 0, maxRunners 8 → 0; take it back: signalbox lane resume n/lane',
    )
    expect((await lane.rows()).map(({ outcome }) => outcome)).toEqual(['done'])
  })

  it.each([
    ['y', 4],
    ['yes', 4],
    ['', 8],
    ['no', 8],
  ])('asks, and takes "%s" for its answer', async (answer, max) => {
    const lane = openLane()
    const { exit } = print(await lane.perform({ kind: 'cap', max: 4 }, { answer }))
    expect(lane.notices.at(-1)).toBe('n/lane: minRunners 2 → 2, maxRunners 8 → 4\nChange it? [y/N] ')
    expect([lane.spec.maxRunners, exit]).toEqual([max, 0])
    expect(await lane.rows()).toHaveLength(max === 4 ? 1 : 0)
  })

  it('writes a refusal to the ledger, with exit 4', async () => {
    const lane = openLane()
    const { exit, text } = print(await lane.perform({ kind: 'resume' }))
    expect(text).toContain('refused by unchanged-by-others')
    expect(exit).toBe(4)
    expect((await lane.rows()).map(({ outcome, decidedBy }) => [outcome, decidedBy])).toEqual([
      ['refused', 'unchanged-by-others'],
    ])
  })
})
