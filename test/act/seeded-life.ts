import { openMemoryStore } from '#/adapters/memory/store.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { GATES } from '#/gates/index.ts'
import type { ActCandidate } from '#/ports/act-candidate.ts'
import { act } from '#/runtime/act/act.ts'
import type { ActMeans } from '#/runtime/act/means.ts'
import { meansIn, WARRANT } from './actor.ts'
import { Crash } from './one-act.ts'
import { Scheduler, seededDraw } from './scheduler.ts'
import type { Draw, Turn } from './scheduler.ts'
import { SIGNS, World } from './world.ts'

const NAMES = ['one', 'two', 'three', 'four']
const CAP = 2
const YOUNG_MS = 600_000

/**
 * How the world of a seed hides a job. `racing`: GitHub hands out jobs at any time and its refusal is true; some signs are
 * late. `hidden`: the job was there before, GitHub lets the runner go, and exactly one source shows the job. `unproved`: the
 * same, and a source that would have shown it is blind. `trimmed`: ARC removes runners and makes others, of new names and of
 * old ones. `quiet`: nothing happens but what the acting processes do. `recovered`: no policy proposes the runners any more, and no gate has anything against their removal.
 */
const KINDS = [
  'quiet',
  'racing',
  'unlisted',
  'hidden',
  'unproved',
  'replaced',
  'trimmed',
  'recovered',
  'young',
  'no-evidence',
] as const

type Kind = (typeof KINDS)[number]

type Life = {
  readonly world: World
  readonly kind: Kind
  readonly candidates: readonly ActCandidate[]
  readonly cap: number
  readonly isWedge: boolean
}

const PREPARE: Readonly<Record<Kind, (world: World, draw: Draw) => void>> = {
  quiet: () => undefined,
  replaced: () => undefined,
  racing: showSome,
  trimmed: showSome,
  unlisted: (world) => {
    // GitHub is not asked for a removal, so the version of the object is the last protection.
    world.isListed = false
    world.signs = new Set(['record'])
  },
  hidden: (world, draw) => hideJobs(world, new Set([draw.pick(SIGNS)])),
  unproved: (world, draw) => {
    if (draw.chance(0.5)) world.isListComplete = false
    else world.isListenerKnown = false
    hideJobs(world, new Set())
  },
  'no-evidence': (world) => {
    world.canStoreEvidence = false
  },
  recovered: (world) => {
    world.premise = { kind: 'changed', why: 'the set wants them again' }
  },
  young: (world) => {
    for (const runner of world.runners.values()) runner.createdAt = world.now - 60_000
  },
}

function drawLife(draw: Draw): Life {
  const world = new World()
  const kind = draw.pick(KINDS)
  for (const name of NAMES) world.add(name)
  PREPARE[kind](world, draw)
  // The version of a set does not show that one of its runners got a job: there GitHub's refusal is the last protection.
  world.isFreedByScaling = kind !== 'unlisted' && draw.chance(0.5)
  const isWedge = draw.chance(0.35)
  return {
    world,
    kind,
    isWedge,
    candidates: isWedge ? [world.candidateOf(...NAMES)] : NAMES.map((name) => world.candidateOf(name)),
    cap: isWedge && draw.chance(0.8) ? NAMES.length : CAP,
  }
}

function showSome(world: World, draw: Draw): void {
  world.signs = new Set(SIGNS.filter(() => draw.chance(0.4)))
}

/** Each runner has a job already, and GitHub would let it go. */
function hideJobs(world: World, signs: World['signs']): void {
  world.signs = signs
  world.isRefusalLate = true
  for (const name of NAMES) world.giveJob(name)
}

/** What does not work in this run. */
export type Broken = {
  readonly gates?: readonly Gate[]
  readonly isCapIgnored?: boolean
  readonly arePreconditionsIgnored?: boolean
  readonly isPremiseIgnored?: boolean
}

export type Lived = { readonly wrongs: readonly string[]; readonly removed: number; readonly crashes: number }

/** One seed: two acting processes that may crash and come back, ARC, GitHub and an operator. What went wrong, in words. */
export async function liveThrough(seed: number, broken: Broken = {}): Promise<Lived> {
  const draw = seededDraw(seed)
  const life = drawLife(draw)
  const { world, candidates } = life
  world.isBlunt = broken.arePreconditionsIgnored === true
  const uids = new Set(candidates.flatMap(({ runners }) => runners.map(({ identity }) => identity.uid)))
  const { store } = openMemoryStore()
  const most = broken.isCapIgnored === true ? null : life.cap
  const warrant = { ...WARRANT, run: 'one run', cap: { run: most, set: most } }
  const scheduler = new Scheduler(draw)
  let crashes = 0
  for (const actor of ['first', 'second']) {
    const place = draw.chance(0.5) ? draw.pick(PLACES) : Infinity
    scheduler.start(async (turn) => {
      const acting = async (between: Turn): Promise<void> => {
        const means = breakMeans({ ...meansIn(world, store.ledger, between, between) }, broken)
        for (const candidate of candidates) await act(candidate, means, { ...warrant, actor })
      }
      const hasCrashed = await crashesAt(place, turn, acting)
      if (!hasCrashed) return
      crashes += 1
      await turn('it is started again')
      // Others may live and be slow: they lose what they have under way.
      world.now += WARRANT.abandonedAfterMs
      await acting(turn)
    })
  }
  scheduler.start((turn) => liveOn(life, draw, turn))
  await scheduler.run()
  const rows = await store.ledger.list({ limit: 1000 })
  const wrongs = findWrongs(life, rows, { uids, isExact: crashes === 0 && life.kind !== 'trimmed' })
  return { wrongs, removed: world.removed.length, crashes }
}

/** An act on one runner takes about thirty turns. */
const PLACES = Array.from({ length: 60 }, (_, index) => index + 1)

async function crashesAt(place: number, turn: Turn, work: (turn: Turn) => Promise<void>): Promise<boolean> {
  let made = 0
  const counting: Turn = async (call) => {
    await turn(call)
    made += 1
    if (made === place) throw new Crash(call)
  }
  try {
    await work(counting)
    return false
  } catch (error) {
    if (error instanceof Crash) return true
    throw error
  }
}

function breakMeans(means: ActMeans, { gates = GATES, isPremiseIgnored = false }: Broken): ActMeans {
  const observe: ActMeans['observe'] = async (candidate, signal) => {
    const now = await means.observe(candidate, signal)
    return isPremiseIgnored ? { ...now, premise: { kind: 'stands' } } : now
  }
  return { ...means, gates, observe }
}

/** How likely each is, between two calls of others. */
const EVENTS: Partial<Readonly<Record<Kind, Readonly<Partial<Record<Happening, number>>>>>> = {
  racing: { job: 0.06 },
  unlisted: { job: 0.06 },
  replaced: { replaced: 0.15 },
  trimmed: { job: 0.06, more: 0.04, trim: 0.05, trimmed: 0.2 },
}
type Happening = 'job' | 'replaced' | 'more' | 'trim' | 'trimmed'

async function liveOn({ world, kind, isWedge }: Life, draw: Draw, turn: Turn): Promise<void> {
  // ARC fills a wedged set up again as soon as one of it goes.
  const events = { ...EVENTS[kind], ...(isWedge && kind === 'racing' ? { more: 0.04 } : {}) }
  const happens = (what: Happening): boolean => draw.chance(events[what] ?? 0)
  const somebody = (): string => draw.pick([...world.runners.keys(), 'nobody'])
  for (let left = 60; left > 0; left -= 1) {
    await turn('the world')
    if (happens('job')) world.giveJob(somebody())
    // An operator deletes a runner, and ARC makes one of the same name.
    if (happens('replaced')) world.add(draw.pick(NAMES), 7_200_000)
    if (happens('more')) world.add(`more-${left}`, 7_200_000)
    if (happens('trim')) world.trim(somebody())
    if (happens('trimmed')) world.finishTrim(somebody())
    world.now += 200
  }
}

function findWrongs(
  { world: { removed }, kind, cap, isWedge }: Life,
  rows: readonly LedgerRow[],
  { uids, isExact }: { readonly uids: ReadonlySet<string | null>; readonly isExact: boolean },
): readonly string[] {
  const ended = (outcome: LedgerRow['outcome']): number => rows.filter((row) => row.outcome === outcome).length
  const done = isWedge ? ended('done') * NAMES.length : ended('done')
  return [
    ...removed.filter(({ hadJob }) => hadJob).map(({ uid }) => `${uid} had a job`),
    ...removed.filter(({ hadEvidence }) => !hadEvidence).map(({ uid }) => `${uid} left no evidence`),
    ...removed.filter(({ ageMs }) => ageMs < YOUNG_MS).map(({ uid }) => `${uid} was young`),
    ...removed.filter(({ uid }) => !uids.has(uid)).map(({ uid }) => `${uid} was never proposed`),
    ...(kind === 'recovered' && removed.length > 0 ? ['what no policy proposes any more was removed'] : []),
    ...(removed.length > cap ? [`${removed.length} are gone, ${cap} may go`] : []),
    ...rows.filter(({ outcome }) => outcome === 'planned').map(({ id }) => `attempt ${id} has no end`),
    ...(removed.length > 0 && ended('done') + ended('failed') === 0 ? ['no row says that something was removed'] : []),
    ...(isExact && ended('failed') === 0 && done !== removed.length ? ['done is not what was done'] : []),
  ]
}
