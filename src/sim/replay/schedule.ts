import type { Seeded } from '#/sim/github/world/seeded.ts'
import { healthyPlay } from './healthy-runner.ts'
import type { HealthyRunner } from './healthy-runner.ts'
import { generateHex, generateUid } from './generate-id.ts'
import { isOfHost, createPlay } from './play.ts'
import type { Play } from './play.ts'
import type { Recording } from './recording.ts'
import { renameRecording } from './rename-recording.ts'

/** Which runners appear, and when; the same seed makes the same choices. */
export type Schedule = {
  /** Places those who are born by then. */
  readonly enter: (moment: number, place: (play: Play) => void) => void
}

export type SchedulePlan = {
  readonly recordings: readonly Recording[]
  /** The name of the recording that comes first; whichever the seed chooses where there is none of that name. */
  readonly opening: string
  readonly seeded: Seeded
  /** From one death to the next, on average. */
  readonly paceMs: number
  /** How many live and do well at a time. */
  readonly healthy: number
  readonly startedAt: number
  readonly githubUrl: string
  /** Names in use. */
  readonly nodesInUse: () => ReadonlySet<string>
}

const FIRST_DEATH_MS = 2000
const SPREAD = 0.6
/** As high as GitHub's are, and far enough from each other for the numbers of one recording. */
const FIRST_JOB = 76_348_000_000
const JOBS_APART = 10_000
const HEALTHY_NODES = 4
const LONGEST_LIFE_MS = 150_000
const SHORTEST_LIFE_MS = 40_000
/** Kubernetes' alphabet for generated names: no vowels, so that no words appear. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

const POOLS: readonly HealthyRunner['pool'][] = [
  { namespace: 'ci-web', scaleSet: 'web-2x4', job: 'unit (node 24)' },
  { namespace: 'ci-search', scaleSet: 'search-8x16', job: 'index' },
  { namespace: 'ci-docs', scaleSet: 'docs-1x2', job: 'build the book' },
  { namespace: 'ci-payments', scaleSet: 'payments-4x8', job: 'contract tests' },
]

export function createSchedule(plan: SchedulePlan): Schedule {
  const { seeded, recordings, paceMs, startedAt } = plan
  const letters = (count: number): string =>
    Array.from({ length: count }, () => LETTERS[Math.floor(seeded.fraction() * LETTERS.length)]).join('')
  const lives = new Map(recordings.map((recording) => [recording, readLife(createPlay(recording))]))
  const longest = Math.max(0, ...[...lives.values()].map(({ ms }) => ms))
  const nextHealthy = healthySlots(plan, letters)
  let planned: Planned[] = []
  let deck: readonly Recording[] = openedBy(seeded.shuffled(recordings), plan.opening)
  let played = 0
  let dieAt = startedAt + FIRST_DEATH_MS
  const planNext = (): void => {
    if (deck.length === 0) deck = seeded.shuffled(recordings)
    const [recording, ...rest] = deck
    deck = rest
    const life = recording === undefined ? undefined : lives.get(recording)
    if (recording === undefined || life === undefined) return
    planned.push({ recording, bornAt: dieAt - life.ms, suffix: letters(5), shiftMs: dieAt - life.endsAt })
    dieAt += paceMs * (1 - SPREAD / 2 + SPREAD * seeded.fraction())
  }
  const planUntil = (latest: number): void => {
    if (dieAt > latest || recordings.length === 0) return
    planNext()
    planUntil(latest)
  }
  const enter = ({ recording, suffix, shiftMs }: Planned, place: (play: Play) => void): void => {
    played += 1
    const names = {
      suffix,
      node: freeNode(plan),
      jobOffset: FIRST_JOB + played * JOBS_APART,
      githubUrl: plan.githubUrl,
    }
    const cast = { ...names, shiftSeconds: Math.round(shiftMs / 1000) }
    const shown = renameRecording(recording, cast, (path) => !isOfHost(path))
    place(createPlay(shown, () => renameRecording(recording, cast, isOfHost)))
  }
  return {
    enter: (moment, place) => {
      for (const play of nextHealthy(moment)) place(play)
      // A machine that slept has nothing to make up for.
      if (dieAt < moment) dieAt = moment + paceMs
      planUntil(moment + longest)
      const due = planned.filter(({ bornAt }) => bornAt <= moment)
      planned = planned.filter(({ bornAt }) => bornAt > moment)
      for (const one of due) enter(one, place)
    },
  }
}

function openedBy(deck: readonly Recording[], opening: string): readonly Recording[] {
  return deck.toSorted((a, b) => Number(b.name === opening) - Number(a.name === opening))
}

type Planned = {
  readonly recording: Recording
  readonly bornAt: number
  readonly suffix: string
  readonly shiftMs: number
}

function readLife({ phases: stages, endsAt }: Play): { readonly endsAt: number; readonly ms: number } {
  return { endsAt, ms: endsAt - (stages[0]?.at ?? endsAt) }
}

/** Each death has its own node, so that journals do not mix. */
function freeNode({ nodesInUse }: SchedulePlan): string {
  const taken = nodesInUse()
  let number = HEALTHY_NODES + 1
  while (taken.has(nodeName(number))) number += 1
  return nodeName(number)
}

function nodeName(number: number): string {
  return `runner-node-${number}`
}

function healthySlots(
  { seeded, healthy, startedAt }: SchedulePlan,
  letters: (count: number) => string,
): (moment: number) => readonly Play[] {
  const life = (): number => SHORTEST_LIFE_MS + seeded.fraction() * (LONGEST_LIFE_MS - SHORTEST_LIFE_MS)
  // At the beginning each is somewhere in the middle of its life.
  const freeAt = Array.from({ length: healthy }, () => startedAt - seeded.fraction() * SHORTEST_LIFE_MS)
  return (moment) =>
    freeAt.flatMap((free, slot) => {
      if (free > moment) return []
      const bornAt = Math.max(free, moment - SHORTEST_LIFE_MS)
      const endsAt = bornAt + life()
      freeAt[slot] = endsAt
      const pool = POOLS[slot % POOLS.length]
      const node = nodeName(1 + (slot % HEALTHY_NODES))
      if (pool === undefined) return []
      const pod = `${pool.scaleSet}-${letters(5)}-runner-${letters(5)}`
      const seed = `${pod}/${bornAt}`
      const made = { uid: generateUid(seed), containerId: generateHex(seed), jobGuid: generateUid(`job/${seed}`) }
      return [healthyPlay({ pool, pod, node, bornAt, endsAt, ...made })]
    })
}
