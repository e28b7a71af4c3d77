import { parseJson } from '#/core/evidence/bundle-json.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Log } from '#/ports/log.ts'
import type { DeathRecord, Deaths } from '#/ports/store/deaths.ts'
import type { Store } from '#/ports/store/store.ts'
import type { Outbox } from '#/runtime/outbox/outbox.ts'
import { waitWhile } from './counted-wait.ts'
import type { DeathQueue } from './death-queue.ts'
import type { DeathStates } from './death-states.ts'
import type { EndedPod } from './ended-pod.ts'
import { podWithName } from './pod-with-name.ts'
import type { RecorderSettings } from './settings.ts'
import { trackedPod } from './watching/tracked-pods.ts'
import type { TrackedPods } from './watching/tracked-pods.ts'

type Means = {
  readonly store: Pick<Store, 'deaths'>
  readonly kubernetes: Pick<Kubernetes, 'get'>
  readonly clock: Clock
  readonly log: Log
  readonly settings: Pick<RecorderSettings, 'namespaces'>
  readonly states: DeathStates
  readonly trackedPods: Pick<TrackedPods, 'get'>
  readonly deathQueue: Pick<DeathQueue, 'take'>
  readonly outbox: Pick<Outbox, 'isClear'>
  /** The pods that exist, and those that went meanwhile, are known. */
  readonly listedAll: Promise<unknown>
}

const PAGE = 200
const AGAIN_MS = 600_000
const LOOK_MS = 1000

/** Resumes deaths that a process before us stored and did not judge, even if nothing else remembers their pods. */
export async function resumeUnjudged(means: Means, signal: AbortSignal): Promise<void> {
  const { clock, log, listedAll, outbox } = means
  await Promise.race([listedAll, untilAborted(signal)])
  const passedOver = new Set<string>()
  while (!signal.aborted) {
    const wasClear = outbox.isClear()
    try {
      await resumeAll(means, passedOver, signal)
    } catch (error) {
      log.warn('cannot look for unjudged deaths in the store', { why: String(error) })
    }
    // A death that the process before us wrote to disk is in the store only when the spool is empty.
    const isUnchanged = (): boolean => wasClear || !outbox.isClear()
    await waitWhile(isUnchanged, { clock, everyMs: LOOK_MS, mostMs: AGAIN_MS, signal })
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function resumeAll(means: Means, passedOver: Set<string>, signal: AbortSignal): Promise<void> {
  const { store, states, trackedPods, settings, log, deathQueue } = means
  let resumed = 0
  for await (const row of unjudged(store.deaths, signal)) {
    const { uid, namespace, pod: name } = row
    const isOurs = settings.namespaces?.includes(namespace) ?? true
    if (!isOurs || passedOver.has(uid) || states.get(uid) !== null || trackedPods.get(uid) !== null) continue
    const pod = await readEndedPod(store.deaths, row)
    if (pod === null) {
      passedOver.add(uid)
      log.warn('cannot judge a stored death: its pod is not in the stored evidence', {
        pod: `${namespace}/${name}`,
        uid,
      })
      continue
    }
    if ((await podWithName(means.kubernetes, pod, signal)) === 'same' || states.get(uid) !== null) continue
    deathQueue.take(pod, true)
    resumed += 1
  }
  if (resumed > 0) log.info('resuming deaths that were not judged', { deaths: resumed })
}

async function* unjudged(deaths: Pick<Deaths, 'list'>, signal: AbortSignal): AsyncGenerator<DeathRecord> {
  for (let after: { readonly diedAt: number; readonly uid: string } | undefined; !signal.aborted;) {
    const page = await deaths.list({ unjudged: true, limit: PAGE, ...(after === undefined ? {} : { after }) })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = { diedAt: last.diedAt, uid: last.uid }
  }
}

/** The pod as it was last seen, from the stored evidence. */
async function readEndedPod(deaths: Pick<Deaths, 'get'>, row: DeathRecord): Promise<EndedPod | null> {
  const stored = await deaths.get(row.uid)
  const path = bundlePath.resource('pods')
  const content = stored?.evidence.find(({ source }) => source === path)?.content ?? null
  const reading = content === null ? null : parseJson(new TextDecoder().decode(content))
  const pods = reading?.kind === 'parsed' ? listAt(reading.value, 'items') : []
  const object = pods.find((one) => textAt(one, 'metadata', 'uid') === row.uid)
  if (object === undefined) return null
  const { diedAt, recordedAt, missed } = row
  const pod = trackedPod(object as KubeObject, recordedAt)
  const times = { diedAt, foundAt: recordedAt }
  return { ...pod, ...times, pool: row.pool, isGone: true, missed, isPending: false, gap: null }
}
