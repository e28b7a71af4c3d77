import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFolderLedger } from '#/adapters/act-folder/folder-ledger.ts'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'
import { APPLY, reap } from './run-reap.ts'
import type { Asked, Between } from './simulated-api.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const OFFLINE = 'linux-x64-462sz-runner-2ltbc'
const TIMEOUT = { timeout: 240_000 }

/** Where the process is held until it is killed: the request gets no answer. */
type Hold = {
  readonly title: string
  /** The last step in its row. */
  readonly step: string
  readonly place: (fleet: SimulatedFleet, hold: Between) => void
}

/** The first list is read by the plan, the second before the attempt begins. */
function holdList(count: number): Hold['place'] {
  return ({ api }, hold) => {
    let lists = 0
    api.before = async (asked) => {
      if (!asked.path.endsWith('/ephemeralrunners')) return
      lists += 1
      if (lists === count) await hold(asked)
    }
  }
}

const onDelete =
  (hold: Between): Between =>
  async (asked: Asked) => {
    if (asked.method === 'DELETE') await hold(asked)
  }

const HOLDS: readonly Hold[] = [
  { title: 'while it reads for the evidence', step: 'storing-evidence', place: holdList(3) },
  {
    title: 'before GitHub let the runner go',
    step: 'deregistering',
    place: ({ github }, hold) => {
      github.before = onDelete(hold)
    },
  },
  {
    title: 'after GitHub let the runner go',
    step: 'deregistering',
    place: ({ github }, hold) => {
      github.after = onDelete(hold)
    },
  },
  { title: 'while it proves again', step: 'proving-again', place: holdList(4) },
  {
    title: 'before the API server removed it',
    step: 'removing',
    place: ({ api }, hold) => {
      api.before = onDelete(hold)
    },
  },
  {
    title: 'after the API server removed it',
    step: 'removing',
    place: ({ api }, hold) => {
      api.after = onDelete(hold)
    },
  },
]

async function rowsIn(folder: string) {
  const read = await readFolderLedger(folder)
  if (read.kind !== 'read') throw new Error(JSON.stringify(read))
  return await read.list({ limit: 100 })
}

/** Resolves when the process was held and is dead. */
async function killAt(fleet: SimulatedFleet, { place }: Hold, args: readonly string[]): Promise<void> {
  const reached = Promise.withResolvers<string>()
  place(fleet, async ({ method, path }) => {
    reached.resolve(`${method} ${path}`)
    await new Promise<never>(() => {})
  })
  const all = ['reap', ...args, '--kubeconfig', fleet.kubeconfig]
  const child = spawn(launcher, all, {
    cwd: repository,
    env: cleanEnvironment(fleet.env),
    stdio: 'ignore',
    detached: true,
  })
  const closed = once(child, 'close')
  const first = await Promise.race([reached.promise, closed.then(() => null)])
  if (first === null) throw new Error('the process ended before it was held')
  // The launcher may have started another process: the whole group.
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await closed
}

describe('kill -9 of reap --apply', () => {
  it.each(HOLDS)('$title: the next run finishes it, and nothing is done twice', TIMEOUT, async (hold) => {
    const fleet = await startFleet()
    fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
    const folder = join(fleet.folder, 'acts')
    const args = ['--policy', 'offline', ...APPLY, '--evidence', folder]
    await killAt(fleet, hold, args)
    const [left] = await rowsIn(folder)
    expect([left?.outcome, left?.steps.at(-1)?.step]).toEqual(['planned', hold.step])

    fleet.api.before = () => undefined
    fleet.api.after = () => undefined
    fleet.github.before = () => undefined
    fleet.github.after = () => undefined
    const soon = await reap(fleet, args)
    expect(soon.answer?.candidates.map(({ decision }) => decision)).toEqual(['refused'])
    fleet.clock.aheadMs += 600_000
    const { code, answer } = await reap(fleet, args)
    expect([code, answer?.candidates.map(({ decision }) => decision)]).toEqual([0, ['removed']])
    expect(fleet.api.removed).toEqual([OFFLINE])
    expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeUndefined()
    const rows = await rowsIn(folder)
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done'])
    expect(rows[0]?.evidence).toEqual(expect.any(String))
  })
})
