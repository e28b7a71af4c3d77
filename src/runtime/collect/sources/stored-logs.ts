import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { LogStore, StoredLog, StoredText, StoreWindow } from '#/ports/log-store.ts'
import type { LogOrder, LogReading } from '#/runtime/collect/pods/container-logs.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import type { ContainerPlan } from '#/runtime/collect/request/targets.ts'
import { plannedRunner } from '#/runtime/collect/request/targets.ts'
import type { Window } from '#/runtime/collect/request/window.ts'

/** The journal of a node from where it is kept, if neither the machine nor its agent gave it. */
export async function* gatherStoredJournal(means: Means, node: string, window: Window): AsyncGenerator<BundleFile> {
  const { request, answers } = means
  const source = `journal/${node}`
  if (request.logStore === null || hasLooked(means, source)) return
  request.progress(`reading the journal of ${node} from the log store`)
  const read = await request.logStore.journal(node, toStoreWindow(window, request.clock.now()), request.signal)
  if (read.kind === 'blind') return answers.blind(source, read.reason)
  answers.looked(source, describeCoverage(read.value))
  yield { path: bundlePath.journalJson(node), content: read.value.text }
}

type PodName = { readonly namespace: string; readonly pod: string }

/** The logs of a pod from where they are kept: of the containers whose log could not be read otherwise. */
export async function* gatherStoredLogs(
  means: Means,
  { namespace, pod, containers }: PodName & { readonly containers: readonly ContainerPlan[] },
  window: Window,
): AsyncGenerator<BundleFile> {
  const { request, answers } = means
  const place = `logs/${namespace}/${pod}`
  if (request.logStore === null || isRead(means, place, containers)) return
  request.progress(`reading the logs of ${pod} from the log store`)
  const within = toStoreWindow(window, request.clock.now())
  const read = await request.logStore.podLogs({ namespace, pod }, within, request.signal)
  // What the cluster said of the log stays: the store has nothing to add.
  if (read.kind === 'blind') return answers.blind(place, both(means, place, read.reason))
  for (const log of read.value) {
    const container = log.container ?? plannedRunner(containers) ?? 'runner'
    const source = `${place}/${container}`
    if (!CONTAINER_NAME.test(container) || hasLooked(means, source)) continue
    answers.looked(source, describeCoverage(log))
    yield { path: bundlePath.log({ namespace, pod, container, previous: false }), content: log.text }
  }
}

/** It becomes a part of a path. */
const CONTAINER_NAME = /^[a-z0-9][-a-z0-9]{0,62}$/

function hasLooked({ answers }: Means, source: string): boolean {
  return answers.sources().get(source)?.kind === 'looked'
}

/** A pod whose containers are not known has no log that was read. */
function isRead(means: Means, place: string, containers: readonly ContainerPlan[]): boolean {
  return containers.length > 0 && containers.every(({ name }) => hasLooked(means, `${place}/${name}`))
}

function both({ answers }: Means, place: string, { code, detail }: BlindReason): BlindReason {
  const known = answers.sources().get(place)
  return { code, detail: known?.kind === 'blind' ? `${detail}; in the cluster: ${known.reason}` : detail }
}

function toStoreWindow({ from, to }: Window, now: number): StoreWindow {
  return { from, to: to ?? now }
}

function describeCoverage({ from, to, cut }: StoredText) {
  const remark = cut === null ? 'from the log store' : `from the log store; ${cut.code}: ${cut.detail}`
  return { from, to, remark }
}

const LOOK_BACK_MS = 3_600_000

/** The same for one container of a fleet; null where the store does not have it. */
export async function readStoredLog(
  store: LogStore,
  { namespace, pod, container, since }: LogOrder,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<LogReading> {
  const window = { from: since ?? now - LOOK_BACK_MS, to: now }
  const read = await store.podLogs({ namespace, pod }, window, signal)
  const log = read.kind === 'seen' ? findContainer(read.value, container.name) : null
  if (log === null) {
    const { reason } =
      read.kind === 'blind' ? read : blind('expired', `the log store has no container ${container.name}`)
    return { files: [], answer: { kind: 'blind', reason } }
  }
  const { from, remark } = describeCoverage(log)
  const path = bundlePath.log({ namespace, pod, container: container.name, previous: false })
  return { files: [{ path, content: log.text }], answer: { kind: 'looked', from, remark } }
}

function findContainer(logs: readonly StoredLog[], name: string): StoredLog | null {
  return logs.find(({ container }) => container === name) ?? logs.find(({ container }) => container === null) ?? null
}
