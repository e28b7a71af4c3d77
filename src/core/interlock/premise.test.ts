import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { ago } from '#test/fleets/build-fleet.ts'
import { POLICIES } from './policies/index.ts'
import { POLICY_IDS, deleteRunner } from './policy.ts'
import type { Policy, PolicyId, ProposedAct } from './policy.ts'
import { judgePremise } from './premise.ts'

const A = 'lane-x7k2p-runner-aaaaa'
const B = 'lane-x7k2p-runner-bbbbb'
const idle: RunnerCase = { name: A }
const left: RunnerCase = { name: A, github: 'offline' }
const waiting = { id: 7, status: 'queued', labels: ['lane'] }
const ended = { id: 8, status: 'completed', conclusion: 'success', runner_name: A, completed_at: ago(3_600_000) }
const said = (text: string): SetCase => ({ runners: [idle], logs: [{ pod: A, lines: [[60, text]] }] })
const CONFLICT = 'Error: Conflict. Retrying until reconnected.'
const SKIPPED = 'Skipping message Job. Job message not found: job was canceled'
const WEDGED = { phase: 'Pending', listener: false, listenerPod: false } as const
const unregistered: RunnerCase = {
  ...idle,
  status: { phase: undefined, ready: undefined, runnerId: undefined },
  pod: null,
}
const OLD_AND_NEW = [{ age: 9000 }, { name: 'lane-new', age: 60 }]

type Change = {
  readonly before: SetCase
  /** The gates of an idle runner would let it go. */
  readonly after: SetCase
  /** The premise cannot be seen. */
  readonly unseen: SetCase
}

const CHANGES: Readonly<Record<PolicyId, Change>> = {
  offline: {
    before: { runners: [left] },
    after: { runners: [idle] },
    unseen: { runners: [left], blind: ['github'] },
  },
  zombie: {
    before: { ...said(CONFLICT), runners: [left] },
    after: {
      runners: [left],
      logs: [
        {
          pod: A,
          lines: [
            [60, CONFLICT],
            [30, 'Listening for Jobs'],
          ],
        },
      ],
    },
    unseen: { runners: [left], blind: ['pods'] },
  },
  'never-registered': {
    before: { runners: [unregistered] },
    after: { runners: [idle] },
    unseen: { runners: [], blind: ['ephemeralrunners'] },
  },
  failed: {
    before: { runners: [{ ...left, status: { phase: 'Failed' } }] },
    after: { runners: [left] },
    unseen: { runners: [], blind: ['ephemeralrunners'] },
  },
  hung: {
    before: { runners: [idle], completed: [ended] },
    after: { runners: [idle], completed: [] },
    unseen: { runners: [], blind: ['ephemeralrunners'] },
  },
  handoff: {
    before: { ...said(SKIPPED), jobs: [waiting] },
    after: { ...said(SKIPPED), jobs: [] },
    unseen: { runners: [idle], jobs: [waiting], blind: ['logs'] },
  },
  excess: {
    before: { runners: [idle] },
    after: { runners: [idle], runnerSets: [{ spec: { replicas: 1 } }] },
    unseen: { runners: [idle], blind: ['ephemeralrunnersets'] },
  },
  'stale-generation': {
    before: { runners: [idle], runnerSets: OLD_AND_NEW },
    after: { runners: [idle] },
    unseen: { runners: [idle], blind: ['ephemeralrunnersets'] },
  },
  wedge: {
    before: { ...WEDGED, runners: [idle] },
    after: { runners: [idle] },
    unseen: { ...WEDGED, runners: [idle], blind: ['autoscalinglisteners'] },
  },
}

const viewOf = (own: SetCase) => buildRuntimeView(arcFleet(own), WHOLE_FLEET)

function policyOf(id: PolicyId): Policy {
  const policy = POLICIES.find((one) => one.id === id)
  if (policy === undefined) throw new Error(`there is no policy ${id}`)
  return policy
}

function proposed(policy: Policy, own: SetCase): ProposedAct {
  const [act] = policy.propose(viewOf(own))
  if (act === undefined) throw new Error(`${policy.id} proposes nothing`)
  return act
}

describe.each(POLICY_IDS)('the premise of %s', (id) => {
  const policy = policyOf(id)
  const { before, after, unseen } = CHANGES[id]
  const act = proposed(policy, before)

  it('stands while the policy proposes the same', () => {
    expect(judgePremise(viewOf(before), policy, act)).toEqual({ kind: 'stands' })
  })

  it('has changed once it does not, and says which policy that was', () => {
    const premise = judgePremise(viewOf(after), policy, act)
    expect(premise).toMatchObject({
      kind: 'changed',
      why: expect.stringContaining(`the policy ${id} (${policy.removes})`) as string,
    })
  })

  it('is blind where it cannot be seen', () => {
    expect(judgePremise(viewOf(unseen), policy, act).kind).toBe('blind')
  })
})

describe('the premise', () => {
  const policy = policyOf('excess')

  it('is of one act: another act on the same runner is not proposed', () => {
    const act = proposed(policy, { runners: [idle] })
    expect(judgePremise(viewOf({ runners: [idle] }), policy, { ...act, act: 'delete-pod' }).kind).toBe('changed')
  })

  it('is of one runner: another one that is proposed does not stand for it', () => {
    const own: SetCase = { runners: [{ name: B }] }
    const [state] = viewOf({ runners: [idle] }).runners
    if (state === undefined) throw new Error('no runner')
    expect(judgePremise(viewOf(own), policy, deleteRunner(state, [])).kind).toBe('changed')
  })

  it('says what GitHub shows now', () => {
    const act = proposed(policyOf('offline'), { runners: [left] })
    expect(judgePremise(viewOf({ runners: [{ name: A, github: 'busy' }] }), policyOf('offline'), act)).toMatchObject({
      why: expect.stringMatching(/no longer proposes it; now GitHub lists it as online and busy$/) as string,
    })
  })
})

describe('excess beside ARC, which trims too', () => {
  const policy = policyOf('excess')
  const names = (own: SetCase): readonly string[] => policy.propose(viewOf(own)).map(({ subject }) => subject.name)
  const two = [{ spec: { replicas: 2 } }]
  const runners = ['a', 'b', 'c', 'd'].map((one, index): RunnerCase => ({ name: one, age: 9000 - index }))

  it.each<readonly [string, readonly string[], (one: RunnerCase, index: number) => RunnerCase]>([
    ['two of four go, the oldest', ['a', 'b'], (one) => one],
    ['one is left to trim if ARC deletes one', ['a'], (one, index) => (index === 3 ? { ...one, deleted: 1 } : one)],
    [
      'none is if ARC has removed two at GitHub, and their objects are not deleted yet',
      [],
      (one, index) => (index > 1 ? { ...one, github: 'absent' } : one),
    ],
  ])('%s', (_title, expected, change) => {
    expect(names({ runnerSets: two, runners: runners.map(change) })).toEqual(expected)
  })
})
