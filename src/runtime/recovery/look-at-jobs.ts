import { textAt } from '#/core/basics/fields.ts'
import { none } from '#/core/basics/observed.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import { isLive, SLOT_STATES, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot, SlotState } from '#/core/dispatch/slot.ts'
import { readSlotPod } from '#/core/recovery/slot-pod.ts'
import type { SlotPod } from '#/core/recovery/slot-pod.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { deadRunners, GONE_FOR_MS } from '#/reconcilers/dead-runners.ts'
import { staleClaims } from '#/reconcilers/stale-claims.ts'
import { QUEUED_FOR_MS, staleQueue } from '#/reconcilers/stale-queue.ts'
import { unregisteredRunners } from '#/reconcilers/unregistered-runners.ts'
import { askGitHub, findRegistration } from './ask-github.ts'
import { MOST_ACTS } from './means.ts'
import type { Found, Look } from './means.ts'
import { forgetOthers, mayAsk } from './memory.ts'

/** More than any fleet has under way. */
export const MOST_ROWS = 20_000
export const LIVE_STATES: readonly SlotState[] = SLOT_STATES.filter((state) => state !== 'ended' && state !== 'lost')

const MINT_MARGIN_MS = 30_000
export const UNREGISTERED_AFTER_MS = 5 * 60_000

export async function lookAtClaims({ means, now }: Look): Promise<readonly Found[]> {
  const { assignments, mintWithinMs } = means
  const jobs = await assignments.jobs({ states: ['claimed'], limit: MOST_ROWS })
  const podOf = await readPods(means, jobs.length, now)
  const found: Found[] = []
  for (const job of jobs) {
    if (job.state !== 'claimed') continue
    const { pod } = await podOf(job.slot)
    const recovery = staleClaims.decide({ job, pod, afterMs: mintWithinMs + MINT_MARGIN_MS }, now)
    if (recovery.checks.every(({ holds }) => holds === true)) found.push({ recovery, at: null })
  }
  return found
}

const ASK_UNREGISTERED = { firstMs: 30_000, mostMs: 10 * 60_000 }
/** Its end was just seen: while GitHub has no clear answer, ask soon. */
const ASK_GONE = { firstMs: 5_000, mostMs: 10 * 60_000 }

export async function lookAtMinted(look: Look): Promise<readonly Found[]> {
  const { means, memory, now } = look
  const jobs = await means.assignments.jobs({ states: ['minted'], limit: MOST_ROWS })
  const podOf = await readPods(means, jobs.length, now)
  const github = askGitHub(look)
  const pools = means.pools.read()
  const candidates = new Set<string>()
  const found: Found[] = []
  for (const job of jobs) {
    if (job.state !== 'minted') continue
    const { slot, pod } = await podOf(job.slot)
    if (!pod.isGone && now - job.mintedAt < UNREGISTERED_AFTER_MS) continue
    const key = `unregistered/${job.id}/${job.generation}/${pod.isGone ? 'gone' : 'there'}`
    candidates.add(key)
    if (found.length >= MOST_ACTS || !mayAsk(memory, key, pod.isGone ? ASK_GONE : ASK_UNREGISTERED, now)) continue
    const at = findRegistration(pools, job)
    // First the runner, then the job: a runner that took the job between the two is seen with it.
    const runner = await github.runner(at, slot === null ? null : slotRunner(slot))
    const atGitHub = await github.job(job)
    const seen = { job, slot, pod, runner, atGitHub, afterMs: UNREGISTERED_AFTER_MS }
    found.push({ recovery: unregisteredRunners.decide(seen, now), at })
  }
  forgetOthers(memory, 'unregistered/', candidates)
  return found
}

const ASK_QUEUED = { firstMs: 30 * 60_000, mostMs: 6 * 3_600_000 }

export async function lookAtQueue(look: Look): Promise<readonly Found[]> {
  const { means, memory, now } = look
  const jobs = await means.assignments.jobs({ states: ['queued'], limit: MOST_ROWS })
  const github = askGitHub(look)
  const candidates = new Set<string>()
  const found: Found[] = []
  for (const job of jobs) {
    if (job.state !== 'queued' || now - job.queuedAt < QUEUED_FOR_MS) continue
    const key = `queued/${job.id}`
    candidates.add(key)
    if (found.length >= MOST_ACTS || !mayAsk(memory, key, ASK_QUEUED, now)) continue
    const atGitHub = await github.job(job)
    const isKnown = atGitHub.kind === 'seen' && !['completed', 'in_progress'].includes(atGitHub.value.status)
    const run = isKnown ? await github.run(job) : none()
    const recovery = staleQueue.decide({ job, atGitHub, run }, now)
    // An answer that did not come is asked for again soon, not in half an hour.
    if (recovery.checks.some(({ holds }) => holds === null)) memory.asked.set(key, { times: 0, nextAt: now + 60_000 })
    found.push({ recovery, at: null })
  }
  forgetOthers(memory, 'queued/', candidates)
  return found
}

const ASK_DEAD = { firstMs: 60_000, mostMs: 3_600_000 }

export async function lookAtExecuting(look: Look): Promise<readonly Found[]> {
  const { means, memory, now } = look
  const { assignments } = means
  const jobs = await assignments.jobs({ states: ['executing'], limit: MOST_ROWS })
  const slots = await assignments.slots({ states: ['executing'], limit: MOST_ROWS })
  const alive = new Set(slots.map((slot) => (slot.state === 'executing' ? slot.executing : null)))
  const github = askGitHub(look)
  const candidates = new Set<string>()
  const found: Found[] = []
  for (const job of jobs) {
    if (job.state !== 'executing' || alive.has(job.id)) continue
    const key = `dead/${job.id}/${job.generation}`
    candidates.add(key)
    if (found.length >= MOST_ACTS || now < (memory.asked.get(key)?.nextAt ?? 0)) continue
    const podGoneAt = await findEndOfPod(means, job.runner)
    if (podGoneAt === null || now - podGoneAt < GONE_FOR_MS) continue
    mayAsk(memory, key, ASK_DEAD, now)
    found.push({ recovery: deadRunners.decide({ job, podGoneAt, atGitHub: await github.job(job) }, now), at: null })
  }
  forgetOthers(memory, 'dead/', candidates)
  return found
}

/** Null: it is live, or not ours. */
async function findEndOfPod({ assignments }: Look['means'], runner: Runner): Promise<number | null> {
  const { slot } = await assignments.involved({ job: null, slot: null, runner })
  return slot !== null && (slot.state === 'ended' || slot.state === 'lost') ? slot.endedAt : null
}

type PodOf = (uid: string) => Promise<{ readonly slot: Slot | null; readonly pod: SlotPod }>

/** The live slots in one read; of the others, few, each its own. */
async function readPods({ assignments, pods }: Look['means'], jobs: number, now: number): Promise<PodOf> {
  const live = jobs === 0 ? [] : await assignments.slots({ states: LIVE_STATES, limit: MOST_ROWS })
  const byUid = new Map(live.map((slot) => [slot.uid, slot]))
  return async (uid) => {
    const slot = byUid.get(uid) ?? (await assignments.slot(uid))
    return { slot, pod: readSlotPod(slot, slot !== null && isLive(slot) ? readEnd(pods, uid, now) : null, now) }
  }
}

function readEnd(pods: Look['means']['pods'], uid: string, now: number): { readonly at: number } | null {
  const pod = pods.byUid(uid)
  return pod.kind === 'seen' && hasEnded({ phase: textAt(pod.value, 'status', 'phase') }) ? { at: now } : null
}
