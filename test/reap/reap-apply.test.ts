import { describe, expect, it, vi } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const book = vi.hoisted(() => ({ current: null as unknown }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => book.current }))

const GONE = 'linux-x64-462sz-runner-2ltbc'
const IDLE = 'linux-x64-462sz-runner-m5jlv'

function openBook(): ActBook {
  const { store } = openMemoryStore()
  const own: ActBook = {
    ledger: store.ledger,
    storeEvidence: async ({ id }) => ({ kind: 'stored', id: `evidence-${id}` }),
    actor: 'tester',
    where: 'memory',
    [Symbol.asyncDispose]: async () => undefined,
  }
  book.current = own
  return own
}

async function reap(fleet: SimulatedFleet, args: readonly string[], manner: object = {}) {
  const ran = await runInProcess(['reap', ...args, '--kubeconfig', fleet.kubeconfig, '--repo', 'acme/app'], {
    env: fleet.env,
    ...manner,
  })
  return ran
}

describe('signalbox reap --apply', () => {
  it('removes what the gates permit', async () => {
    const fleet = await startFleet()
    openBook()
    fleet.sim.world.runnerVanishes(fleet.ids.get(GONE) ?? 0)
    const ran = await reap(fleet, ['--policy', 'offline', '--apply', '--yes'])
    console.log(ran.code, ran.stdout, ran.stderr, IDLE)
    expect(fleet.api.removed).toEqual([GONE])
  })
})
