import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'
import type { Asked, Between } from './simulated-api.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

/** Holds the process where it is called, for ever. */
export type Hold = (where: string) => Promise<never>

export type KillPlan = {
  /** Puts the hold where it is to be killed. */
  readonly place: (hold: Hold) => void
  readonly args: readonly string[]
  /** A wedge is confirmed by a second read a minute later. */
  readonly isHurried?: boolean
}

const HURRIED = resolve(import.meta.dirname, 'hurried-signalbox.ts')

/** Starts `signalbox reap`, and resolves when it was held and is dead. */
export async function killAt(fleet: SimulatedFleet, { place, args, isHurried = false }: KillPlan): Promise<void> {
  const reached = Promise.withResolvers<string>()
  place(async (where) => {
    reached.resolve(where)
    return await new Promise<never>(() => {})
  })
  const all = ['reap', ...args, '--kubeconfig', fleet.kubeconfig]
  const [program, ...own] = isHurried ? [process.execPath, HURRIED] : [launcher]
  const child = spawn(program ?? '', [...own, ...all], {
    cwd: repository,
    // What a killed process leaves in its temporary folder goes with the fleet.
    env: cleanEnvironment({ TMPDIR: fleet.folder, ...fleet.env }),
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

/** At each request that is chosen. */
export function holdWhere(hold: Hold, isChosen: (asked: Asked) => boolean): Between {
  return async (asked) => {
    if (isChosen(asked)) await hold(`${asked.method} ${asked.path}`)
  }
}

/** At the list of runners with this number. */
export function holdList(hold: Hold, count: number): Between {
  let lists = 0
  return holdWhere(hold, ({ path }) => {
    if (!path.endsWith('/ephemeralrunners')) return false
    lists += 1
    return lists === count
  })
}

export function letGo({ api, github }: SimulatedFleet): void {
  api.before = () => undefined
  api.after = () => undefined
  github.before = () => undefined
  github.after = () => undefined
}
