import { describe, expect, it, vi } from 'vitest'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { listAll, memoryBook, reap } from './run-reap.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const opened = vi.hoisted(() => ({ book: null as ActBook | null }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => opened.book }))

const OFFLINE = 'linux-x64-462sz-runner-2ltbc'

async function startOffline(): Promise<SimulatedFleet & { readonly ledger: Ledger }> {
  const fleet = await startFleet()
  fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
  opened.book = memoryBook()
  return { ...fleet, ledger: opened.book.ledger }
}

describe('signalbox reap --apply --interval', () => {
  it('begins again, removes what went offline since, and ends with Ctrl-C', async () => {
    const fleet = await startOffline()
    const next = [...fleet.ids.keys()].find((name) => name !== OFFLINE) ?? ''
    const stop = new AbortController()
    let isVanished = false
    fleet.api.before = () => {
      if (fleet.api.removed.length === 2) stop.abort()
      if (fleet.api.removed.length === 0 || isVanished) return
      isVanished = true
      fleet.sim.world.runnerVanishes(fleet.ids.get(next) ?? 0)
    }
    const args = ['--policy', 'offline', '--apply', '--yes', '--interval', '10m']
    const { code } = await reap(fleet, args, { signal: stop.signal })
    expect([code, fleet.api.removed]).toEqual([130, [OFFLINE, next]])
    const rows = await listAll(fleet.ledger)
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'done'])
    expect(new Set(rows.map(({ run }) => run)).size).toBe(2)
  })

  it('removes nothing younger than an hour, whatever --min-age says below that', async () => {
    const fleet = await startOffline()
    const created = fleet.clock.now() - 30 * 60_000
    fleet.api.change('ephemeralrunners', OFFLINE, { metadata: { creationTimestamp: new Date(created).toISOString() } })
    const stop = new AbortController()
    const asked = ['--policy', 'offline', '--apply', '--yes', '--min-age', '10m', '--interval', '10m']
    let reads = 0
    fleet.api.before = ({ path }) => {
      if (path === '/apis') reads += 1
      if (reads === 3) stop.abort()
    }
    expect((await reap(fleet, asked, { signal: stop.signal })).code).toBe(130)
    expect(fleet.api.removed).toEqual([])
    const [row] = await listAll(fleet.ledger)
    expect(row).toMatchObject({ outcome: 'refused', decidedBy: 'old-enough' })
  })
})
