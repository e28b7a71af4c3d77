import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFolderLedger } from '#/adapters/act-folder/folder-ledger.ts'
import { holdList, holdWhere, killAt, letGo } from './kill-reap.ts'
import type { Hold } from './kill-reap.ts'
import { APPLY, reap } from './run-reap.ts'
import type { Asked } from './simulated-api.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const OFFLINE = 'linux-x64-462sz-runner-2ltbc'
const TIMEOUT = { timeout: 240_000 }

/** Where the process is held until it is killed: the request gets no answer. */
type Held = {
  readonly title: string
  /** The last step in its row. */
  readonly step: string
  readonly place: (fleet: SimulatedFleet, hold: Hold) => void
}

/** The first list is read by the plan, the second before the attempt begins. */
const atList =
  (count: number): Held['place'] =>
  ({ api }, hold) => {
    api.before = holdList(hold, count)
  }
const isDelete = ({ method }: Asked): boolean => method === 'DELETE'

const HOLDS: readonly Held[] = [
  { title: 'while it reads for the evidence', step: 'storing-evidence', place: atList(3) },
  {
    title: 'before GitHub let the runner go',
    step: 'deregistering',
    place: ({ github }, hold) => {
      github.before = holdWhere(hold, isDelete)
    },
  },
  {
    title: 'after GitHub let the runner go',
    step: 'deregistering',
    place: ({ github }, hold) => {
      github.after = holdWhere(hold, isDelete)
    },
  },
  { title: 'while it proves again', step: 'proving-again', place: atList(4) },
  {
    title: 'before the API server removed it',
    step: 'removing',
    place: ({ api }, hold) => {
      api.before = holdWhere(hold, isDelete)
    },
  },
  {
    title: 'after the API server removed it',
    step: 'removing',
    place: ({ api }, hold) => {
      api.after = holdWhere(hold, isDelete)
    },
  },
]

async function rowsIn(folder: string) {
  const read = await readFolderLedger(folder)
  if (read.kind !== 'read') throw new Error(JSON.stringify(read))
  return await read.list({ limit: 100 })
}

describe('kill -9 of reap --apply', () => {
  it.each(HOLDS)('$title: the next run finishes it, and nothing is done twice', TIMEOUT, async (hold) => {
    const fleet = await startFleet()
    fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
    const folder = join(fleet.folder, 'acts')
    const args = ['--policy', 'offline', ...APPLY, '--evidence', folder]
    await killAt(fleet, { args, place: (stop) => hold.place(fleet, stop) })
    const [left] = await rowsIn(folder)
    expect([left?.outcome, left?.steps.at(-1)?.step]).toEqual(['planned', hold.step])

    letGo(fleet)
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

type Wedge = {
  readonly what: string
  readonly recording: string
  /** Of the runners that go. */
  readonly prefix: string
  readonly method: 'PATCH' | 'DELETE'
}

const WEDGES: readonly Wedge[] = [
  {
    what: 'a set is scaled to 0',
    recording: '0.14.2-wedged-values-change',
    prefix: 'docker-build',
    method: 'PATCH',
  },
  {
    what: 'all idle runners are deleted',
    recording: 'canary-2ee6b3b-wedged-spec-change',
    prefix: 'spec-idle',
    method: 'DELETE',
  },
]
const MOMENTS = ['before', 'after'] as const
const WEDGE_KILLS = WEDGES.flatMap((wedge) => MOMENTS.map((moment) => Object.assign({ moment }, wedge)))

describe('kill -9 of reap --apply while a wedge is freed', () => {
  it.each(WEDGE_KILLS)(
    '$moment $what: the next run finishes or closes it',
    TIMEOUT,
    async ({ moment, recording, prefix, method }) => {
      const fleet = await startFleet(recording)
      const names = [...fleet.ids.keys()].filter((name) => name.startsWith(prefix))
      expect(names).not.toEqual([])
      // As ARC does it.
      fleet.api.onScaled = () => {
        for (const name of names) fleet.api.drop('ephemeralrunners', name)
      }
      const folder = join(fleet.folder, 'acts')
      const args = ['--policy', 'wedge', ...APPLY, '--evidence', folder]
      // What ARC removes itself it makes no request for: with the last of several deletions all of them are on their way.
      let requests = 0
      const isLast = (asked: Asked): boolean => {
        // Only what changes a runner or a set; an access review is a POST.
        requests += asked.method === method ? 1 : 0
        return asked.method === method && requests === (method === 'DELETE' ? names.length : 1)
      }
      const place = (hold: Hold): void => {
        fleet.api[moment] = holdWhere(hold, isLast)
      }
      await killAt(fleet, { args, place, isHurried: true })
      const [left] = await rowsIn(folder)
      expect([left?.outcome, left?.steps.at(-1)?.step]).toEqual(['planned', 'removing'])

      letGo(fleet)
      fleet.clock.aheadMs += 600_000
      const { answer } = await reap(fleet, args)
      expect(answer?.candidates.map(({ decision }) => decision)).not.toContain('refused')
      const changed = method === 'PATCH' ? fleet.api.scaled : fleet.api.removed.toSorted()
      expect(changed).toEqual(method === 'PATCH' ? [expect.stringContaining(prefix)] : names.toSorted())
      for (const name of names) expect(fleet.api.find('ephemeralrunners', name)).toBeUndefined()
      const rows = await rowsIn(folder)
      expect(rows.filter(({ outcome }) => outcome === 'planned')).toEqual([])
      process.stderr.write(`${moment} ${method}: ${rows.map(({ outcome, why }) => `${outcome} ${why}`).join(' | ')}\n`)
    },
  )
})
