import { describe, expect, it, vi } from 'vitest'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { APPLY, decisions, memoryBook, reap } from './run-reap.ts'
import { REPOSITORY, startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const opened = vi.hoisted(() => ({ book: null as ActBook | null }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => opened.book }))

const RUNNER = 'linux-x64-462sz-runner-2ltbc'
const SCOPE = { kind: 'repository', fullName: REPOSITORY } as const
const OFFLINE_ONES = ['--policy', 'offline', ...APPLY]
const SECOND_PAGE = /\/actions\/runners\?.*\bpage=2\b/

type Crowd = {
  readonly fleet: SimulatedFleet
  readonly id: number
  /** A runner of the first page goes and another one comes: the count stays, and row 101 becomes row 100. */
  readonly shift: () => void
}

/** GitHub's list has two pages; our runner, offline, is the first of the second one. */
async function startCrowd(): Promise<Crowd> {
  const fleet = await startFleet()
  opened.book = memoryBook()
  const { sim, ids, api } = fleet
  let count = 0
  const join = (name: string): number => {
    const answer = sim.world.registerRunner({ name, scope: SCOPE, labels: [name], ephemeral: true })
    if (answer.kind !== 'registered') throw new Error(answer.kind)
    sim.world.runnerComesOnline(answer.runner.id)
    return answer.runner.id
  }
  const joinOther = (): number => join(`other-${(count += 1)}`)
  sim.world.removeRunner(SCOPE, ids.get(RUNNER) ?? 0)
  const others = Array.from({ length: 98 }, joinOther)
  const id = join(RUNNER)
  for (let more = 30; more > 0; more -= 1) joinOther()
  api.change('ephemeralrunners', RUNNER, { status: { runnerId: id } })
  sim.world.runnerVanishes(id)
  const shift = (): void => {
    sim.world.removeRunner(SCOPE, others.pop() ?? 0)
    joinOther()
  }
  return { fleet, id, shift }
}

/** Not in the first read of the whole list, which is that of the look. */
function atTheAct({ fleet }: Crowd, happens: () => void, times: number): void {
  let reads = 0
  fleet.github.before = ({ method, path }) => {
    if (method === 'GET' && path.endsWith('/actions/runners')) reads += 1
  }
  const due = (): void => {
    // Two pages, and the first one again.
    if (reads > 3) happens()
  }
  fleet.sim.faults.add({ path: SECOND_PAGE, fault: { kind: 'meanwhile', happens: due }, times })
}

describe("GitHub's list of two pages", () => {
  it('is read whole: a runner of the second page is removed', async () => {
    const crowd = await startCrowd()
    const { code, answer } = await reap(crowd.fleet, OFFLINE_ONES)
    expect([code, decisions(answer), crowd.fleet.api.removed]).toEqual([0, ['removed'], [RUNNER]])
  })

  it('that shifts at each read proves nothing at the act, and says that rows moved', async () => {
    const crowd = await startCrowd()
    atTheAct(crowd, crowd.shift, 200)
    const { code, answer, stdout } = await reap(crowd.fleet, OFFLINE_ONES)
    expect([code, decisions(answer)]).toEqual([3, ['blind github-not-busy']])
    expect(crowd.fleet.api.removed).toEqual([])
    expect(crowd.fleet.sim.world.runner(crowd.id)).toBeDefined()
    expect(answer?.candidates[0]?.why).toMatch(
      /rows moved between pages, again and again|the count went from .* again and again/,
    )
    expect(stdout).not.toMatch(/rows of \d+ came/)
  })

  it('that shifts once hides no runner: one that works and slipped to a page that was read is found', async () => {
    const crowd = await startCrowd()
    let hasShifted = false
    const happens = (): void => {
      if (hasShifted) return
      hasShifted = true
      crowd.fleet.sim.world.runnerComesOnline(crowd.id)
      crowd.fleet.giveJob(RUNNER)
      crowd.shift()
    }
    atTheAct(crowd, happens, 200)
    const { code, answer } = await reap(crowd.fleet, OFFLINE_ONES)
    expect([hasShifted, code, decisions(answer)]).toEqual([true, 4, ['refused github-not-busy']])
    expect(answer?.candidates[0]?.why).toMatch(/busy/)
    expect(crowd.fleet.api.removed).toEqual([])
  })
})
