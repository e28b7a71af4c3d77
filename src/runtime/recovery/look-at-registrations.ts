import { isLive } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { RunnerAtGitHub } from '#/core/recovery/seen-at-github.ts'
import { IDLE_FOR_MS, idleRegistrations } from '#/reconcilers/idle-registrations.ts'
import { allRegistrations, askGitHub, placeOf, toRow } from './ask-github.ts'
import { LIVE_STATES, MOST_ROWS } from './look-at-jobs.ts'
import type { Found, Look } from './means.ts'

/** As dispatch names a runner: its pod, cut, and eight digits. */
const OUR_NAME = /^(?<pod>.{1,55})-[0-9a-f]{8}$/

export async function lookAtRegistrations(look: Look): Promise<readonly Found[]> {
  const { means, memory, now } = look
  const pools = means.pools.read()
  if (pools.kind !== 'seen') return []
  const github = askGitHub(look)
  const slotOf = slotFinder(look)
  const listed = new Set<string>()
  const found: Found[] = []
  for (const at of allRegistrations(pools.value)) {
    const place = placeOf(at)
    const rows = await github.runners(at)
    if (rows.kind === 'blind') {
      // Not looked at: it may have been online in between, so its age begins again.
      for (const key of memory.idle.keys()) if (key.startsWith(`${place}#`)) memory.idle.delete(key)
      continue
    }
    for (const runner of rows.kind === 'seen' ? rows.value.map(toRow) : []) {
      if (runner.online || runner.busy || !OUR_NAME.test(runner.name)) continue
      const key = `${place}#${runner.id}`
      listed.add(key)
      const idleSince = memory.idle.get(key) ?? now
      memory.idle.set(key, idleSince)
      const slot = now - idleSince < IDLE_FOR_MS ? null : await slotOf(runner)
      if (slot === null) continue
      found.push({ recovery: idleRegistrations.decide({ runner, place, slot, idleSince }, now), at })
    }
  }
  for (const key of memory.idle.keys()) if (!listed.has(key)) memory.idle.delete(key)
  return found
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
