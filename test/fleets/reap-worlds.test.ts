import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { draws } from '#test/tiers/long-run.ts'
import { arcFleet } from './arc-set.ts'
import type { RunnerCase, SetCase } from './arc-set.ts'
import { EVERY_RUNNER, planReap } from './reap-case.ts'

const NAMES = ['a', 'b', 'c', 'd'] as const

/** A runner in any state, right or contradictory. `isNamed`: a job in progress at GitHub names it. */
type Drawn = RunnerCase & { readonly isNamed: boolean }

const drawnState = fc.record({
  job: fc.boolean(),
  isNamed: fc.boolean(),
  github: fc.constantFrom('online', 'busy', 'offline', 'offline-busy', 'absent'),
  age: fc.constantFrom(30, 300, 3600, 90_000),
  phase: fc.constantFrom('Running', 'Failed', 'Pending', undefined),
  ready: fc.constantFrom(true, false, undefined),
  isDeleted: fc.boolean(),
  pod: fc.constantFrom('none', 'running', 'ended', 'waiting'),
  processes: fc.constantFrom('waiting', 'working', 'another-container', undefined),
  generation: fc.constantFrom('lane-x7k2p', 'lane-new'),
})

type State = typeof drawnState extends fc.Arbitrary<infer T> ? T : never

function toRunner(name: string, state: State): Drawn {
  const { job, isNamed, github, age, phase, ready, processes, generation } = state
  return {
    name,
    job,
    isNamed,
    github,
    age,
    status: { phase, ready },
    ...(state.isDeleted ? { deleted: 60 } : {}),
    pod: PODS[state.pod],
    ...(processes === undefined ? {} : { processes }),
    metadata: { ownerReferences: [{ kind: 'EphemeralRunnerSet', name: generation }] },
  }
}

const drawnRunner = (name: string): fc.Arbitrary<Drawn> => drawnState.map((state) => toRunner(name, state))

const PODS = {
  none: null,
  running: {},
  ended: { phase: 'Failed', state: { terminated: { exitCode: 1 } } },
  waiting: { phase: 'Pending', state: { waiting: { reason: 'ContainerCreating' } } },
} as const

const BLIND = ['github', 'queue', 'logs', 'pods', 'autoscalinglisteners', 'ephemeralrunnersets'] as const
const LINES = ['Error: Conflict. Retrying until reconnected.', 'Job message not found', 'Running job: build'] as const

const drawnWorld = fc.record({
  runners: fc.tuple(...NAMES.map(drawnRunner)),
  version: fc.constantFrom('0.12.1', '0.13.1', '0.14.2', '0.15.0'),
  hasListener: fc.boolean(),
  blind: fc.subarray([...BLIND], { maxLength: 1 }),
  logged: fc.constantFrom(...LINES, undefined),
  replicas: fc.integer({ min: 0, max: 4 }),
})

type World = typeof drawnWorld extends fc.Arbitrary<infer T> ? T : never

function toCase({ runners, version, hasListener, blind, logged, replicas }: World): SetCase {
  return {
    version,
    runners,
    blind,
    ...(hasListener ? {} : { listener: false, listenerPod: false, phase: 'Pending' }),
    runnerSets: [
      { spec: { replicas }, age: 90_000 },
      { name: 'lane-new', age: 600 },
    ],
    jobs: runners.map(({ name, isNamed }, id): Fields =>
      isNamed ? { id, status: 'in_progress', runner_name: name } : { id, status: 'queued', labels: ['lane'] },
    ),
    logs: logged === undefined ? [] : NAMES.map((pod) => ({ pod, lines: [[60, logged]] as const })),
  }
}

const hasJob = ({ job, isNamed, github }: Drawn): boolean => job === true || isNamed || (github ?? '').endsWith('busy')

describe('reap over random worlds, with all policies and one that proposes every runner', () => {
  it('never removes a runner that has a job by any record, or a worker, with all sources or without any one of them', () => {
    let removals = 0
    fc.assert(
      fc.property(drawnWorld, (world) => {
        const planned = planReap(arcFleet(toCase(world)), { more: EVERY_RUNNER, minAgeMs: 0 })
        const gone = new Set(
          planned
            .filter(({ decision }) => decision === 'would-remove')
            .flatMap(({ proposal }) => proposal.runners.map(({ runner }) => runner.name)),
        )
        removals += gone.size
        const isWorking = (own: Drawn): boolean =>
          hasJob(own) || (own.processes === 'working' && own.pod === PODS.running)
        expect(world.runners.filter((own) => isWorking(own) && gone.has(own.name)).map(({ name }) => name)).toEqual([])
      }),
      { numRuns: draws(5_000, 500) },
    )
    expect(removals).toBeGreaterThan(5)
  })

  it('explains every decision: who would be removed has no gate that does not hold, and the others name one', () => {
    fc.assert(
      fc.property(drawnWorld, (world) => {
        for (const { decision, decidedBy, gates } of planReap(arcFleet(toCase(world)), { more: EVERY_RUNNER })) {
          const bad = gates.filter(({ result }) => result.kind !== 'holds')
          expect(decision === 'would-remove').toBe(bad.length === 0)
          const first = bad.find(({ result }) => result.kind === 'refuses') ?? bad[0]
          expect(decidedBy).toBe(first?.gate ?? null)
          expect(decision === 'refused').toBe(first?.result.kind === 'refuses')
        }
      }),
      { numRuns: draws(1_000, 100) },
    )
  })
})
