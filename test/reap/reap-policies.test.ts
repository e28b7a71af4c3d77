import { describe, expect, it, vi } from 'vitest'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { POLICY_IDS } from '#/core/interlock/policy.ts'
import { POLICIES } from '#/core/interlock/policies/index.ts'
import type { PolicyId } from '#/core/interlock/policy.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Fault } from '#/sim/github/faults.ts'
import { POLICY_CASES, startWork } from './policy-cases.ts'
import { APPLY, decisions, listAll, memoryBook, reap } from './run-reap.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const opened = vi.hoisted(() => ({ book: null as ActBook | null }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => opened.book }))

type Started = SimulatedFleet & { readonly ledger: Ledger }

async function start(policy: PolicyId): Promise<Started> {
  const { recording, prepare } = POLICY_CASES[policy]
  const fleet = await startFleet(recording)
  await prepare(fleet)
  opened.book = memoryBook()
  return { ...fleet, ledger: opened.book.ledger }
}

/** Between the look and the act: a wedge is looked at twice. */
function afterLook({ api }: SimulatedFleet, policy: PolicyId, happens: () => void | Promise<void>): () => boolean {
  let lists = 0
  const at = policy === 'wedge' ? 3 : 2
  api.before = async ({ path }) => {
    if (!path.endsWith('/ephemeralrunners')) return
    lists += 1
    if (lists === at) await happens()
  }
  return () => lists >= at
}

const run = (fleet: SimulatedFleet, policy: PolicyId) => reap(fleet, ['--policy', policy, ...APPLY])
const done = ({ api }: SimulatedFleet) => ({ removed: api.removed.toSorted(), scaled: api.scaled })
const NOTHING = { removed: [], scaled: [] }
const listed = ({ sim, ids }: SimulatedFleet, name: string): boolean =>
  sim.world.runner(ids.get(name) ?? 0) !== undefined

describe('reap', () => {
  const isRefused = (policy: PolicyId): boolean => POLICY_CASES[policy].refused !== undefined

  it.each(POLICY_IDS.filter((id) => !isRefused(id)))(
    '--policy %s finds what it is about, and removes it and nothing else',
    async (policy) => {
      const { goes, stays, scales } = POLICY_CASES[policy]
      const fleet = await start(policy)
      const { code, answer, stderr } = await run(fleet, policy)
      expect([stderr, code, decisions(answer)]).toEqual([expect.any(String), 0, ['removed']])
      const isScaled = scales !== undefined
      expect(done(fleet)).toEqual({ removed: isScaled ? [] : goes.toSorted(), scaled: isScaled ? [scales] : [] })
      expect(goes.filter((name) => listed(fleet, name))).toEqual([])
      expect(stays.filter((name) => !listed(fleet, name))).toEqual([])
      const rows = await listAll(fleet.ledger)
      expect(rows).toMatchObject([{ outcome: 'done', policy, places: goes.length, evidence: 'evidence-1' }])
      expect(rows[0]?.gates.every(({ holds }) => holds === true)).toBe(true)
    },
  )

  it.each(POLICY_IDS.filter(isRefused))(
    '--policy %s finds what it is about, and its gates refuse it',
    async (policy) => {
      const fleet = await start(policy)
      const { code, answer } = await run(fleet, policy)
      expect([code, decisions(answer)]).toEqual([4, [`refused ${POLICY_CASES[policy].refused ?? ''}`]])
      expect(done(fleet)).toEqual(NOTHING)
      expect(await listAll(fleet.ledger)).toMatchObject([{ outcome: 'refused', policy }])
    },
  )
})

describe.each(POLICY_IDS)('reap --policy %s', (policy) => {
  const { goes, refused, recover, recovered } = POLICY_CASES[policy]

  it.each(goes)('refuses %s if it works: a job comes between the look and the act', async (name) => {
    const fleet = await start(policy)
    const wasListed = goes.filter((one) => listed(fleet, one))
    const hasCome = afterLook(fleet, policy, () => startWork(fleet, name))
    const { code, answer } = await run(fleet, policy)
    expect([code, decisions(answer)]).toEqual([4, ['refused no-job-on-record']])
    expect(hasCome() || refused !== undefined).toBe(true)
    expect(done(fleet)).toEqual(NOTHING)
    expect(goes.filter((one) => listed(fleet, one))).toEqual(wasListed)
  })

  it.each(goes)('spares %s if it has worked since before the look', async (name) => {
    const fleet = await start(policy)
    startWork(fleet, name)
    const { code } = await run(fleet, policy)
    // Beside it another one may go: a busy runner counts as a replica.
    expect([done(fleet).removed.includes(name), done(fleet).scaled]).toEqual([false, []])
    expect([0, 4]).toContain(code)
  })

  it('removes nothing, and says what it cannot see, while GitHub refuses to list its runners', async () => {
    const fleet = await start(policy)
    const headers = { 'content-type': 'application/json' }
    const fault: Fault = { kind: 'answer', status: 403, headers, body: '{"message":"Forbidden"}' }
    fleet.sim.faults.add({ path: /\/actions\/runners\?/, fault, times: 100 })
    const { code, answer, stdout } = await run(fleet, policy)
    expect([code, done(fleet)]).toEqual([refused === undefined ? 3 : 4, NOTHING])
    expect(decisions(answer).filter((one) => one.startsWith('removed'))).toEqual([])
    expect(stdout).toMatch(/forbidden/i)
  })

  it('spares what it no longer proposes at the act, and says which policy that was', async () => {
    const fleet = await start(policy)
    const wasListed = goes.filter((one) => listed(fleet, one))
    const hasCome = afterLook(fleet, policy, () => recover(fleet))
    const { code, answer } = await run(fleet, policy)
    expect([code, decisions(answer)]).toEqual([4, [`refused ${recovered}`]])
    expect(hasCome() || refused !== undefined).toBe(true)
    expect(done(fleet)).toEqual(NOTHING)
    expect(goes.filter((one) => listed(fleet, one))).toEqual(wasListed)
    if (recovered !== 'identity') return
    const { removes } = POLICIES.find(({ id }) => id === policy) ?? { removes: '' }
    const words =
      policy === 'wedge'
        ? 'its set is no longer wedged: AutoscalingListener'
        : `the policy ${policy} (${removes}) no longer proposes it`
    expect(answer?.candidates[0]?.why).toContain(words)
  })
})
