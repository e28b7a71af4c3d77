import { describe, expect, it } from 'vitest'
import { GATES } from '#/gates/index.ts'
import { seen } from '#/core/basics/observed.ts'
import { ACT_GATES } from '#/core/interlock/act.ts'
import type { GateSet } from '#/core/interlock/act.ts'
import type { CandidateSnapshot } from '#/core/interlock/candidate-snapshot.ts'
import { checkGates } from '#/core/interlock/check-gates.ts'
import { decide } from '#/core/interlock/decide.ts'
import type { Decided } from '#/core/interlock/decide.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { exampleContainer } from '#/core/interlock/example-container.ts'
import { holds } from '#/core/interlock/gate.ts'
import type { Gate, GateId } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { EVERY_RUNNER, planReap } from '#test/fleets/reap-case.ts'

/** The gates, one of which says yes to everything. */
const mutated = (id: GateId): readonly Gate[] =>
  GATES.map((gate) =>
    gate.id === id
      ? Object.assign({}, gate, { check: ({ now }: CandidateSnapshot) => holds('always', { at: now }) })
      : gate,
  )

const { now } = EXAMPLE_CANDIDATE
const DONE: Partial<CandidateSnapshot> = {
  deregistration: readAt(now, seen({ isAccepted: true, answer: '204' })),
  evidence: readAt(now, seen('death 4711')),
}
const WAITING = exampleContainer('runner', { kind: 'waiting', reason: 'ContainerCreating', message: null })

/** Candidates that every gate of their act lets through. */
const PERMITTED: Readonly<Record<GateSet, CandidateSnapshot>> = {
  'delete-ephemeral-runner': { ...EXAMPLE_CANDIDATE, ...DONE },
  'scale-ephemeral-runner-set': { ...EXAMPLE_CANDIDATE, ...DONE },
  'delete-pod': {
    ...EXAMPLE_CANDIDATE,
    ...DONE,
    pod: readAt(now, seen({ phase: 'Pending', node: 'node-1', containers: [WAITING], jobPods: [] })),
  },
  'delete-ended-pod': { ...EXAMPLE_CANDIDATE, ...DONE },
}

/** As the act decides: nothing is open any more. */
const judge = (act: GateSet, candidate: CandidateSnapshot, gates: readonly Gate[] = GATES): Decided =>
  decide(checkGates([candidate], gates, act), new Set())

const ACTS = Object.keys(ACT_GATES) as readonly GateSet[]

describe.each(ACTS)('the act %s', (act) => {
  const required: ReadonlySet<GateId> = new Set(ACT_GATES[act])

  it('is permitted if every gate holds', () => {
    expect(judge(act, PERMITTED[act])).toMatchObject({ decision: 'would-remove', decidedBy: null })
  })

  it.each(GATES.filter(({ id }) => required.has(id)).map((gate) => [gate.id, gate] as const))(
    'is stopped by %s alone, and by nothing else if that gate says yes to everything',
    (id, gate) => {
      for (const kind of ['refuses', 'blind'] as const) {
        const candidates = gate.examples[kind]
          .map(({ candidate }): CandidateSnapshot => Object.assign({}, PERMITTED[act], candidate))
          .filter((candidate) => gate.check(candidate).kind === kind)
        const alone = candidates.filter((candidate) => judge(act, candidate, mutated(id)).decision === 'would-remove')
        expect(alone.length).toBeGreaterThan(0)
        for (const candidate of alone) {
          const decision = kind === 'refuses' ? 'refused' : 'blind'
          expect(judge(act, candidate)).toMatchObject({ decision, decidedBy: id })
        }
      }
    },
  )
})

const left: RunnerCase = { name: 'a', github: 'offline', pod: null }

/** One fact each that only this gate sees. */
const SOLE: readonly (readonly [GateId, string, SetCase])[] = [
  ['identity', 'an object without a UID', { runners: [{ ...left, metadata: { uid: undefined } }] }],
  ['no-job-on-record', 'a job that only its object has', { runners: [{ ...left, job: true }] }],
  ['github-not-busy', 'a job that only the list of runners shows', { runners: [{ ...left, github: 'offline-busy' }] }],
  [
    'github-not-busy',
    'a list of runners that is an hour old',
    { runners: [left], logsUntil: { 'github/runners': 3600 } },
  ],
  [
    'github-no-job-names-it',
    'a job that only the list of jobs shows',
    { runners: [left], jobs: [{ id: 1, status: 'in_progress', runner_name: 'a' }] },
  ],
  [
    'no-worker-process',
    'a job that only its processes show',
    { runners: [{ ...left, pod: {}, processes: 'working' }] },
  ],
  [
    'no-worker-process',
    'a job that only its log shows',
    { runners: [{ ...left, pod: {} }], logs: [{ pod: 'a', lines: [[60, 'Running job: build']] }] },
  ],
  ['no-worker-process', 'processes that nobody looked at', { runners: [{ ...left, pod: {} }] }],
  ['old-enough', 'a runner of five minutes', { runners: [{ ...left, age: 300 }] }],
  ['complete-read', 'an empty list of GitHub while runners are ready', { runners: [{ ...left, github: 'absent' }] }],
]

describe('a plan', () => {
  const removals = (own: SetCase, gates: readonly Gate[]): number =>
    planReap(arcFleet(own), { gates, more: EVERY_RUNNER }).filter(({ decision }) => decision === 'would-remove').length

  it.each(SOLE)('is stopped by %s: %s', (id, _what, own) => {
    expect(removals(own, GATES)).toBe(0)
    expect(removals(own, mutated(id))).toBeGreaterThan(0)
  })

  it('is stopped by within-cap once the cap is used', () => {
    const fleet = arcFleet({ runners: [left, { ...left, name: 'b' }] })
    const count = (gates: readonly Gate[]): number =>
      planReap(fleet, { gates, policies: ['offline'], cap: { run: 1, set: 1 } }).filter(
        ({ decision }) => decision === 'would-remove',
      ).length
    expect([count(GATES), count(mutated('within-cap'))]).toEqual([1, 2])
  })

  it('is stopped by listener-known, beside the list that it needs', () => {
    const own: SetCase = { runners: [left], blind: ['autoscalinglisteners'] }
    const [decided] = planReap(arcFleet(own), { policies: ['offline'] })
    expect(decided).toMatchObject({ decision: 'blind', decidedBy: 'listener-known' })
    const [other] = planReap(arcFleet(own), { policies: ['offline'], gates: mutated('listener-known') })
    expect(other).toMatchObject({ decision: 'blind', decidedBy: 'complete-read' })
  })
})
