import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { ACT_GATES } from '#/core/interlock/act.ts'
import type { ActId } from '#/core/interlock/act.ts'
import type { CandidateSnapshot } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { exampleContainer } from '#/core/interlock/example-container.ts'
import { holds } from '#/core/interlock/gate.ts'
import type { Gate, GateExample, GateId, GateResult } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { GATES } from '#/gates/index.ts'
import type { ActCandidate, CandidateNow } from '#/ports/act-candidate.ts'
import type { DeregisterAnswer } from '#/ports/github-acts.ts'
import { WARRANT } from '#test/act/actor.ts'
import { act } from './act.ts'
import type { ActMeans } from './means.ts'

const { now, subject, proposed } = EXAMPLE_CANDIDATE
const TARGET = {
  kind: 'EphemeralRunner',
  namespace: 'arc-runners',
  name: subject.name,
  uid: 'uid',
  resourceVersion: '1',
} as const
const WAITING = exampleContainer('runner', { kind: 'waiting', reason: 'ContainerCreating', message: null })
const NEVER_RAN = readAt(now, seen({ phase: 'Pending', node: 'node-1', containers: [WAITING], jobPods: [] }))

/** A gate of this act as its own examples show it, while all others hold. */
type Shown = { readonly id: ActId; readonly example: GateExample; readonly gates?: readonly Gate[] }

type Acted = { readonly row: LedgerRow; readonly removed: number }

/** Through everything that an act does, in a cluster that shows what the example says. */
async function actOn({ id, example, gates = GATES }: Shown): Promise<Acted> {
  const own = id === 'delete-pod' ? { pod: NEVER_RAN } : {}
  const snapshot: CandidateSnapshot = Object.assign({}, EXAMPLE_CANDIDATE, own, example.candidate)
  const { store } = openMemoryStore()
  let removed = 0
  const shown: CandidateNow = {
    runners: [{ snapshot, target: TARGET, registration: { kind: 'organization', organization: 'acme' } }],
    premise: { kind: 'stands' },
    scales: [{ ...TARGET, kind: 'EphemeralRunnerSet' }],
  }
  const remove = async () => ((removed += 1), { kind: 'done' as const })
  const means: ActMeans = {
    ledger: store.ledger,
    observe: async () => shown,
    storeEvidence: async () => toStored(example),
    kubernetes: { remove, scaleToZero: remove },
    github: { deregister: async () => toAnswer(example) },
    gates,
    clock: { now: () => now, sleep: async () => undefined },
    signal: new AbortController().signal,
  }
  const candidate: ActCandidate = {
    act: id,
    origin: { policy: 'offline' },
    subject: { kind: 'EphemeralRunner', namespace: 'arc-runners', name: subject.name, uid: proposed.uid },
    scaleSet: 'arc-runners/lane-a',
    runners: [{ namespace: 'arc-runners', name: subject.name, identity: snapshot.proposed }],
  }
  const result = await act(candidate, means, WARRANT)
  if (result.kind !== 'ended') throw new Error(result.kind)
  return { row: result.row, removed }
}

/** The steps of the act make these proofs. */
function toStored({ candidate: { evidence } }: GateExample) {
  if (evidence === undefined || evidence.observed.kind === 'seen') return { kind: 'stored' as const, id: 'death 4711' }
  return evidence.observed.kind === 'blind' ? evidence.observed : blind('unreachable', 'the store does not have it')
}

function toAnswer({ candidate: { deregistration } }: GateExample): DeregisterAnswer {
  const observed = deregistration?.observed ?? seen({ isAccepted: true, answer: '204' })
  if (observed.kind === 'none') return { kind: 'absent' }
  if (observed.kind === 'blind') return observed
  return { kind: observed.value.isAccepted ? 'removed' : 'busy' }
}

const made =
  (id: GateId): Gate['check'] =>
  ({ now: at }) =>
    holds(`${id} is made to hold`, { at })
/** The gates, one of which says yes to everything. */
const mutated = (id: GateId): readonly Gate[] =>
  GATES.map((gate) => (gate.id === id ? Object.assign({}, gate, { check: made(id) }) : gate))

const ACTS = Object.keys(ACT_GATES) as readonly ActId[]
const PROVED: Readonly<Record<GateResult['kind'], boolean | null>> = { holds: true, refuses: false, blind: null }

/** Decided by the ledger in its transaction: act.test.ts, and the contract suite of the store. */
const isByLedger = (gate: Gate): boolean => gate.id === 'within-cap'

const CASES = ACTS.flatMap((id) => {
  const required: ReadonlySet<GateId> = new Set(ACT_GATES[id])
  return GATES.filter((gate) => required.has(gate.id) && !isByLedger(gate)).map((gate) => ({ id, gate }))
})
/** A step that is not taken has no answer: the stub of an example without one must not invent it. */
function examplesOf(gate: Gate, kind: GateResult['kind']): readonly GateExample[] {
  const { evidence, deregistration } = EXAMPLE_CANDIDATE
  const step = { 'evidence-stored': { evidence }, 'github-deregistered': { deregistration } }[gate.id as string] ?? {}
  return gate.examples[kind].map(({ when, candidate }) => ({ when, candidate: { ...step, ...candidate } }))
}

const EXAMPLES = CASES.flatMap(({ id, gate }) =>
  (['holds', 'refuses', 'blind'] as const).flatMap((kind) =>
    examplesOf(gate, kind).map(
      (example) => [`${id}: ${gate.id} ${kind} where ${example.when}`, { id, gate, kind, example }] as const,
    ),
  ),
)

describe('an act, shown the examples of each gate', () => {
  it.each(EXAMPLES)('%s', async (_title, { id, gate, kind, example }) => {
    const { row, removed } = await actOn({ id, example })
    const proof = row.gates.find((one) => one.gate === gate.id)
    if (kind === 'holds') {
      // What another gate makes of the example is its own matter.
      expect(row.decidedBy).not.toBe(gate.id)
      if (row.outcome === 'done') expect(proof).toMatchObject({ holds: true })
      return
    }
    expect(removed).toBe(0)
    expect(['refused', 'vanished']).toContain(row.outcome)
    const isAlone = (await actOn({ id, example, gates: mutated(gate.id) })).removed > 0
    // Of an object that is gone nothing is refused.
    if (!isAlone || row.outcome === 'vanished') return
    expect(row).toMatchObject({ outcome: 'refused', decidedBy: gate.id })
    expect(proof).toMatchObject({ holds: PROVED[kind], why: expect.stringMatching(/\S/) as string })
  })

  it.each(CASES.map(({ id, gate }) => [id, gate.id, gate] as const))(
    '%s: removes what %s alone refuses, and what it alone cannot see, once that gate says yes to everything',
    async (id, gateId, gate) => {
      for (const kind of ['refuses', 'blind'] as const) {
        const acted = await Promise.all(
          examplesOf(gate, kind).map((example) => actOn({ id, example, gates: mutated(gateId) })),
        )
        expect([kind, acted.some(({ removed }) => removed > 0)]).toEqual([kind, true])
      }
    },
  )

  it.each(ACTS)('%s: removes if every gate holds', async (id) => {
    const { row, removed } = await actOn({ id, example: { when: '', candidate: {} } })
    expect([row.outcome, removed]).toEqual(['done', 1])
  })
})
