import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Fault } from '#/sim/github/faults.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { APPLY, decisions, listAll, memoryBook, reap } from './run-reap.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const opened = vi.hoisted(() => ({ book: null as ActBook | null }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => opened.book }))

const OFFLINE = 'linux-x64-462sz-runner-2ltbc'
const OFFLINE_ONES = ['--policy', 'offline', ...APPLY]

/** One runner that is offline at GitHub, and one that is idle. */
async function startOffline(): Promise<SimulatedFleet & { readonly ledger: Ledger }> {
  const fleet = await startFleet()
  fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
  opened.book = memoryBook()
  return { ...fleet, ledger: opened.book.ledger }
}

describe('signalbox reap --apply', () => {
  it('removes what the gates permit, at GitHub and in the cluster, and prints it as the contract says', async () => {
    const fleet = await startOffline()
    const { code, answer } = await reap(fleet, OFFLINE_ONES)
    expect(code).toBe(0)
    expect(fleet.api.removed).toEqual([OFFLINE])
    expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeUndefined()
    expect(answer).toMatchObject({
      schemaVersion: 1,
      applied: true,
      policies: ['offline'],
      ledger: 'memory',
      candidates: [
        {
          policy: 'offline',
          act: 'delete-ephemeral-runner',
          subject: { kind: 'EphemeralRunner', namespace: 'arc-runners', name: OFFLINE },
          decision: 'removed',
          decidedBy: null,
          evidence: 'evidence-1',
          ledger: 1,
        },
      ],
    })
    const gates = answer?.candidates[0]?.gates ?? []
    expect(gates).toHaveLength(11)
    for (const gate of gates) expect(Object.keys(gate).toSorted()).toEqual(['ageSeconds', 'gate', 'holds', 'why'])
    expect(await listAll(fleet.ledger)).toMatchObject([{ outcome: 'done', actor: 'tester', policy: 'offline' }])
  })

  it('shows it, asks, and removes it after a yes', async () => {
    const fleet = await startOffline()
    const { code, stdout, stderr } = await reap(fleet, ['--policy', 'offline', '--apply'], { answer: 'y' })
    expect(code).toBe(0)
    // The vitals showed the processes, so the advice on agents is left out.
    expect(stdout).not.toContain('whether a runner executes a job')
    expect(stderr).toMatch(
      /This will be removed, if every gate still holds:\n {2}offline: arc-runners\/linux-x64-462sz-runner-2ltbc/,
    )
    expect(stdout).toMatch(/removed {4}✓{11} {3}GitHub lists it as offline and not busy/)
    expect(fleet.api.removed).toEqual([OFFLINE])
  })

  it.each(['n', '', 'yep'])('changes nothing and writes nothing after the answer "%s"', async (answer) => {
    const fleet = await startOffline()
    const { code, stdout, stderr } = await reap(fleet, ['--policy', 'offline', '--apply'], { answer })
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/You answered no: nothing was changed/)
    expect([fleet.api.removed, await listAll(fleet.ledger)]).toEqual([[], []])
  })

  it.each([
    [['--apply'], /stdin is not a terminal[^]*--yes/],
    [['--apply', '--yes', '--bundle', 'x.tar.gz'], /--bundle/],
    [['--apply', '--interval', '10m'], /--interval requires --yes/],
    [['--apply', '--yes', '--interval', '5s'], /shorter than 1m/],
    [['--apply', '--yes', '--wait', '5'], /--wait 5 is not a number/],
    [['--yes'], /--yes can be used only with --apply/],
    [['--evidence', 'x'], /--evidence can be used only with --apply/],
  ])('refuses %j before it reads anything', async (flags, message) => {
    opened.book = memoryBook()
    const ran = await runInProcess(['reap', '--policy', 'offline', ...flags])
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(message)
  })

  it('refuses a working runner, records it, and exits with 4', async () => {
    const fleet = await startOffline()
    fleet.sim.world.runnerComesOnline(fleet.ids.get(OFFLINE) ?? 0)
    fleet.giveJob(OFFLINE)
    fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
    fleet.api.change('ephemeralrunners', OFFLINE, { status: { jobId: '77', jobDisplayName: 'build' } })
    const { code, answer } = await reap(fleet, ['--policy', 'offline', '--policy', 'zombie', ...APPLY])
    expect(code).toBe(4)
    expect(decisions(answer)).toContain('refused no-job-on-record')
    expect(await listAll(fleet.ledger)).toMatchObject([{ outcome: 'refused', decidedBy: 'no-job-on-record' }])
    expect(fleet.api.removed).toEqual([])
    expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeDefined()
  })

  it('says blind and removes nothing if the evidence cannot be stored', async () => {
    const fleet = await startOffline()
    opened.book = memoryBook(async () => blind('unreachable', 'the disk is full'))
    const { code, answer } = await reap(fleet, OFFLINE_ONES)
    expect([code, decisions(answer)]).toEqual([3, ['blind evidence-stored']])
    expect(fleet.api.removed).toEqual([])
    expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeDefined()
  })

  it('removes as many as --max, and says for the others that the cap is full', async () => {
    const fleet = await startOffline()
    for (const id of fleet.ids.values()) fleet.sim.world.runnerVanishes(id)
    const { code, answer } = await reap(fleet, [...OFFLINE_ONES, '--max', '1'])
    expect(code).toBe(4)
    expect(decisions(answer)).toEqual(['removed', 'refused within-cap', 'refused within-cap'])
    expect(fleet.api.removed).toHaveLength(1)
  })

  it('says vanished if somebody removed it meanwhile', async () => {
    const fleet = await startOffline()
    fleet.api.before = ({ method }) => {
      if (method === 'DELETE') fleet.api.drop('ephemeralrunners', OFFLINE)
    }
    const { code, answer } = await reap(fleet, OFFLINE_ONES)
    expect([code, decisions(answer)]).toEqual([0, ['vanished']])
  })

  it('stops at Ctrl-C in the middle of a candidate, and the next run finishes it', async () => {
    const fleet = await startOffline()
    const stop = new AbortController()
    fleet.api.before = ({ method }) => {
      if (method === 'DELETE') stop.abort()
    }
    const first = await reap(fleet, OFFLINE_ONES, { signal: stop.signal })
    expect(first.code).toBe(130)
    fleet.api.before = () => undefined
    fleet.clock.aheadMs += 600_000
    await reap(fleet, OFFLINE_ONES)
    const rows = await listAll(fleet.ledger)
    expect(rows.filter(({ outcome }) => outcome === 'planned')).toEqual([])
    expect(fleet.api.removed).toEqual([OFFLINE])
    expect(rows).toHaveLength(1)
  })
})

describe('a job that arrives between the proof and the removal', () => {
  it.each([
    ['GitHub refuses to let it go', 'github', 'refused github-not-busy'],
    ['its object was changed', 'object', 'refused identity'],
  ])('spares the runner: %s', async (_title, where, decision) => {
    const fleet = await startOffline()
    if (where === 'github') {
      const happens = (): void => {
        fleet.sim.world.runnerComesOnline(fleet.ids.get(OFFLINE) ?? 0)
        fleet.giveJob(OFFLINE)
      }
      fleet.sim.faults.add({ method: 'DELETE', path: /\/actions\/runners\//, fault: { kind: 'meanwhile', happens } })
    } else {
      fleet.api.before = ({ method }) => {
        if (method === 'DELETE') fleet.api.change('ephemeralrunners', OFFLINE, { status: { jobId: '77' } })
      }
    }
    const { code, answer } = await reap(fleet, OFFLINE_ONES)
    expect([code, decisions(answer)]).toEqual([4, [decision]])
    expect(fleet.api.removed).toEqual([])
  })

  it('spares it whenever its object is changed: before each list of the runners', async () => {
    for (const at of [1, 2, 3, 4]) {
      const fleet = await startOffline()
      let lists = 0
      fleet.api.before = ({ path }) => {
        if (!path.endsWith('/ephemeralrunners')) return
        lists += 1
        if (lists === at)
          fleet.api.change('ephemeralrunners', OFFLINE, { status: { jobId: '77', jobDisplayName: 'b' } })
      }
      await reap(fleet, OFFLINE_ONES)
      expect([at, fleet.api.removed]).toEqual([at, []])
      expect(lists).toBeGreaterThanOrEqual(at)
    }
  })
})

const RUNNERS = /\/actions\/runners\?/
const EMPTY = JSON.stringify({ total_count: 0, runners: [] })
const DRIFTED = JSON.stringify({ total_count: 9, runners: [] })
const json = { 'content-type': 'application/json' }

describe('a list of GitHub that proves nothing', () => {
  it.each<readonly [string, Fault, RegExp]>([
    [
      'GitHub answers 403',
      { kind: 'answer', status: 403, headers: json, body: '{"message":"Forbidden"}' },
      /forbidden/i,
    ],
    ['a page is missing', { kind: 'answer', status: 200, headers: json, body: DRIFTED }, /9/],
    [
      'the list is empty that was not before',
      { kind: 'answer', status: 200, headers: json, body: EMPTY },
      /is empty \((?:ready runners|it had)/,
    ],
    ['a proxy answers', { kind: 'html', status: 502 }, /.+/],
  ])('removes nothing at the act: %s', async (_title, fault, why) => {
    const fleet = await startOffline()
    // The first read is good: it is about what the act itself reads.
    fleet.sim.faults.add({ path: RUNNERS, fault: { kind: 'delay', ms: 0 }, times: 1 })
    fleet.sim.faults.add({ path: RUNNERS, fault, times: 50 })
    const { code, answer, stdout } = await reap(fleet, OFFLINE_ONES)
    expect(fleet.sim.faults.unfired()).toEqual([])
    expect(fleet.api.removed).toEqual([])
    expect([3, 4]).toContain(code)
    expect(decisions(answer)).toHaveLength(1)
    expect(answer?.candidates[0]?.decision).not.toBe('removed')
    expect(stdout).toMatch(why)
    expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeDefined()
  })

  it('takes no list of GitHub from a file: a runner that it lacks would be removed without asking GitHub', async () => {
    const fleet = await startOffline()
    const file = join(fleet.folder, 'runners.json')
    const other = {
      id: 99,
      name: 'somebody',
      os: 'linux',
      status: 'online',
      busy: false,
      labels: [{ name: 'linux-x64' }],
    }
    writeFileSync(file, JSON.stringify({ runners: [other], collectedAt: new Date().toISOString() }))
    const { code, stderr } = await reap(fleet, [...OFFLINE_ONES, '--github-runners-json', file])
    expect([code, fleet.api.removed]).toEqual([2, []])
    expect(stderr).toContain('a file is the past')
    expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeDefined()
  })
})

describe('without rights', () => {
  it('names each missing right and where to get it, before it asks or removes', async () => {
    const fleet = await startOffline()
    fleet.api.denied.add('delete ephemeralrunners')
    const { code, stdout, stderr } = await reap(fleet, OFFLINE_ONES)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/missing in the cluster: delete ephemeralrunners \(actions.github.com\) in arc-runners/)
    expect(stderr).toMatch(/deploy\/operate/)
    expect(stderr).not.toMatch(/ at .*\.ts:\d/)
    expect([fleet.api.removed, await listAll(fleet.ledger)]).toEqual([[], []])
  })

  it.each(['get ephemeralrunners (actions.github.com)', 'list pods (core)'])(
    'names %s, which the evidence needs, before it asks or removes',
    async (right) => {
      const fleet = await startOffline()
      fleet.api.unreviewed.add(right.replace(/ \(.*/, ''))
      const { code, stderr } = await reap(fleet, OFFLINE_ONES)
      expect([code, fleet.api.removed, await listAll(fleet.ledger)]).toEqual([1, [], []])
      expect(stderr).toContain(`missing in the cluster: ${right} in arc-runners`)
      expect(stderr).toMatch(/deploy\/operate/)
    },
  )

  it('ends an attempt as failed, with the same advice, if the right was taken away in the middle', async () => {
    const fleet = await startOffline()
    fleet.api.before = ({ method }) => {
      if (method === 'DELETE') fleet.api.denied.add('delete ephemeralrunners')
    }
    const { code, answer } = await reap(fleet, OFFLINE_ONES)
    expect([code, decisions(answer)]).toEqual([1, ['failed']])
    expect(answer?.candidates[0]?.why).toMatch(/cannot delete resource[^]*deploy\/operate/)
    expect(await listAll(fleet.ledger)).toMatchObject([{ outcome: 'failed' }])
  })

  it('says what GitHub would have to permit', async () => {
    const fleet = await startOffline()
    const body = JSON.stringify({ message: 'Resource not accessible by personal access token' })
    const fault: Fault = { kind: 'answer', status: 403, headers: json, body }
    fleet.sim.faults.add({ method: 'DELETE', path: /\/actions\/runners\//, fault, times: 5 })
    const { code, answer } = await reap(fleet, OFFLINE_ONES)
    expect([code, decisions(answer)]).toEqual([3, ['blind github-deregistered']])
    expect(answer?.candidates[0]?.why).toMatch(/Administration \(write\)/)
    expect(fleet.api.removed).toEqual([])
  })
})
