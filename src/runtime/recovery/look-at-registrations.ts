import type { Observed } from '#/core/basics/observed.ts'
import { isLive } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { RunnerAtGitHub } from '#/core/recovery/seen-at-github.ts'
import type { RegisteredRunner } from '#/ports/github.ts'
import { IDLE_FOR_MS, idleRegistrations } from '#/reconcilers/idle-registrations.ts'
import { allRegistrations, askGitHub, placeOf, toRow } from './ask-github.ts'
import { LIVE_STATES, MOST_ROWS } from './look-at-jobs.ts'
import type { Found, Look } from './means.ts'

/** As dispatch names a runner: its pod, cut, and eight digits. */
const OUR_NAME = /^(?<pod>.{1,55})-[0-9a-f]{8}$/

export async function lookAtRegistrations(look: Look): Promise<readonly Found[]> {
  const pools = look.means.pools.read()
  if (pools.kind !== 'seen') return []
  const github = askGitHub(look)
  const slotOf = slotFinder(look)
  const found: Found[] = []
  for (const at of allRegistrations(pools.value)) {
    const place = placeOf(at)
    for (const { runner, idleSince } of findIdle(place, await github.runners(at), look)) {
      const slot = look.now - idleSince < IDLE_FOR_MS ? null : await slotOf(runner)
      if (slot === null) continue
      found.push({ recovery: idleRegistrations.decide({ runner, place, slot, idleSince }, look.now), at })
    }
  }
  return found
}

type Idle = { readonly runner: RunnerAtGitHub; readonly idleSince: number }

/** Those of our names that are offline and not busy, with the first of the lists since when each showed that. */
function findIdle(
  place: string,
  listed: Observed<readonly RegisteredRunner[]>,
  { memory: { idle }, now }: Look,
): readonly Idle[] {
  const known = new Map([...idle].filter(([key]) => key.startsWith(`${place}#`)))
  // What is not offline now, or was not looked at and may have been online in between, begins again.
  for (const key of known.keys()) idle.delete(key)
  if (listed.kind !== 'seen') return []
  const away = listed.value.map(toRow).filter(({ online, busy, name }) => !online && !busy && OUR_NAME.test(name))
  return away.map((runner) => {
    const key = `${place}#${runner.id}`
    const idleSince = known.get(key) ?? now
    idle.set(key, idleSince)
    return { runner, idleSince }
  })
}

/** By its runner, or by the name of its pod, for a runner that was registered and not written down. */
function slotFinder({ means: { assignments } }: Look): (runner: RunnerAtGitHub) => Promise<Slot | null> {
  let all: Promise<readonly Slot[]> | null = null
  const readAll = async (): Promise<readonly Slot[]> => {
    const live = await assignments.slots({ states: LIVE_STATES, limit: MOST_ROWS })
    return [...live, ...(await assignments.slots({ states: ['ended', 'lost'], limit: MOST_ROWS }))]
  }
  return async ({ id, name }) => {
    const { slot } = await assignments.involved({ job: null, slot: null, runner: { id, name } })
    if (slot !== null) return slot
    const pod = OUR_NAME.exec(name)?.groups?.['pod']
    all ??= readAll()
    const ofPod = (await all).filter((one) => one.pod.slice(0, 55) === pod)
    // A live one decides: it may be about to get this runner.
    return ofPod.find(isLive) ?? ofPod[0] ?? null
  }
}
