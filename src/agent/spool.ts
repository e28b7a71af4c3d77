import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { readEndedPod, writeEndedPod } from './ended-pod.ts'
import type { EndedPod } from './ended-pod.ts'

/** Ended pods, until the server has stored them. On disk they outlive the agent. */
export type Spool = {
  /** When it resolves, the pod is on disk, if there is a folder. */
  readonly put: (pod: EndedPod) => Promise<void>
  readonly read: (uid: string) => Promise<EndedPod | null>
  readonly remove: (uid: string) => Promise<void>
  readonly size: () => { readonly pods: number; readonly bytes: number }
  /** Those that outlive the agent; without a folder all of them. */
  readonly safe: () => { readonly pods: number; readonly bytes: number }
  /** Drops what nobody has asked for in a day. */
  readonly expire: () => Promise<void>
}

export type SpoolOptions = {
  /** Null: in memory only. */
  readonly folder: string | null
  readonly clock: Clock
  readonly log: Log
  readonly limits?: Partial<SpoolLimits>
}

export type SpoolLimits = {
  readonly pods: number
  readonly bytes: number
  readonly memoryBytes: number
  readonly ageMs: number
}

const MEGABYTE = 1024 * 1024
const LIMITS: SpoolLimits = { pods: 1000, bytes: 256 * MEGABYTE, memoryBytes: 64 * MEGABYTE, ageMs: 24 * 3_600_000 }
const LARGEST_FILE_BYTES = 16 * MEGABYTE
const SUFFIX = '.pod'
const DRAFT_SUFFIX = '.draft'
/** A UID is a file name here. */
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

/** Without `held`, it is in the folder. */
type Entry = { readonly bytes: number; readonly keptAt: number; readonly held: Buffer | null }
type State = Required<SpoolOptions> & {
  readonly limits: SpoolLimits
  readonly entries: Map<string, Entry>
  /** Why the folder could not be written last; logged when it changes. */
  fault: string | null
}

/** Whatever is in the folder, the agent starts. */
export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const limits = { ...LIMITS, ...options.limits }
  const state: State = { ...options, limits, entries: new Map(), fault: null }
  await load(state)
  await evict(state)
  const writing = new Map<string, Promise<void>>()
  const inTurn = (uid: string, work: () => Promise<void>): Promise<void> => {
    const turn = (writing.get(uid) ?? Promise.resolve()).then(work).finally(() => {
      if (writing.get(uid) === turn) writing.delete(uid)
    })
    writing.set(uid, turn)
    return turn
  }
  return {
    put: (pod) => inTurn(pod.uid, () => put(state, pod)),
    read: async (uid) => {
      await writing.get(uid)
      return read(state, uid)
    },
    remove: (uid) => inTurn(uid, () => remove(state, uid)),
    size: () => sizeOf(state),
    safe: () => sizeOf({ entries: state.folder === null ? state.entries : onDisk(state) }),
    expire: () => evict(state),
  }
}

async function load({ folder, log, entries }: State): Promise<void> {
  if (folder === null)
    return log.info('no --state folder: logs of ended pods are kept in memory and end with the agent')
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {})
  const names = await readdir(folder).catch(errorCode)
  if (typeof names === 'string') {
    return log.warn('cannot read the --state folder: logs of ended pods are kept in memory', { folder, why: names })
  }
  const found: (readonly [string, Entry])[] = []
  for (const name of names) {
    if (!name.endsWith(SUFFIX) && !name.endsWith(DRAFT_SUFFIX)) continue
    const pod = name.endsWith(SUFFIX) ? await readWhole(join(folder, name)) : null
    if (pod !== null && `${pod.uid}${SUFFIX}` === name) {
      found.push([pod.uid, { bytes: pod.bytes, keptAt: pod.keptAt, held: null }])
      continue
    }
    // Left by a crash in the middle of a write: the pod was not reported as kept.
    log.warn('an ended pod in the --state folder is not whole; removing it', { file: name })
    await rm(join(folder, name), { force: true }).catch(() => {})
  }
  for (const [uid, entry] of found.toSorted(([, a], [, b]) => a.keptAt - b.keptAt)) entries.set(uid, entry)
  if (entries.size > 0) log.info('found logs of ended pods that the server has not stored', { pods: entries.size })
}

async function readWhole(path: string): Promise<(EndedPod & { readonly bytes: number }) | null> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    if (size > LARGEST_FILE_BYTES) return null
    const pod = readEndedPod(await file.readFile())
    return pod === null ? null : { ...pod, bytes: size }
  } catch {
    return null
  }
}

async function put(state: State, pod: EndedPod): Promise<void> {
  const { folder, entries } = state
  const bytes = writeEndedPod(pod)
  const isOnDisk = folder !== null && SAFE.test(pod.uid) && noteFault(state, await writeSynced(folder, pod.uid, bytes))
  entries.delete(pod.uid)
  entries.set(pod.uid, { bytes: bytes.length, keptAt: pod.keptAt, held: isOnDisk ? null : bytes })
  await evict(state)
}

/** True if it was written. */
function noteFault(state: State, fault: string | null): boolean {
  const { folder, log } = state
  if (fault !== null && fault !== state.fault) {
    log.warn('cannot write to the --state folder: logs of ended pods are kept in memory', { folder, why: fault })
  }
  state.fault = fault
  return fault === null
}

/** Null if it is on disk. The name appears only when its bytes are there. */
async function writeSynced(folder: string, uid: string, bytes: Buffer): Promise<string | null> {
  const draft = join(folder, `${uid}.${randomUUID()}${DRAFT_SUFFIX}`)
  try {
    {
      await using file = await open(draft, 'wx', 0o600)
      await file.writeFile(bytes)
      await file.sync()
    }
    await rename(draft, join(folder, `${uid}${SUFFIX}`))
    await using parent = await open(folder, 'r')
    await parent.sync()
    return null
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    return errorCode(error)
  }
}

async function read({ folder, entries }: State, uid: string): Promise<EndedPod | null> {
  const entry = entries.get(uid)
  if (entry === undefined) return null
  if (entry.held !== null) return readEndedPod(entry.held)
  const bytes = folder === null ? null : await readFile(join(folder, `${uid}${SUFFIX}`)).catch(() => null)
  return bytes === null ? null : readEndedPod(bytes)
}

async function remove({ folder, entries }: State, uid: string): Promise<void> {
  if (!entries.delete(uid) || folder === null || !SAFE.test(uid)) return
  await rm(join(folder, `${uid}${SUFFIX}`), { force: true }).catch(() => {})
}

function onDisk({ entries }: State): ReadonlyMap<string, Entry> {
  return new Map(entries.entries().filter(([, { held }]) => held === null))
}

function sizeOf({ entries }: { readonly entries: ReadonlyMap<string, Entry> }): {
  readonly pods: number
  readonly bytes: number
  readonly held: number
} {
  let [bytes, held] = [0, 0]
  for (const entry of entries.values()) {
    bytes += entry.bytes
    held += entry.held === null ? 0 : entry.bytes
  }
  return { pods: entries.size, bytes, held }
}

/** The last resort: the oldest go first, whether the server has them or not. */
async function evict(state: State): Promise<void> {
  const { entries, limits, clock, log } = state
  for (const [uid, { keptAt }] of entries) {
    const { pods, bytes, held } = sizeOf(state)
    const isOld = clock.now() - keptAt > limits.ageMs
    const isFull = pods > limits.pods || bytes > limits.bytes || held > limits.memoryBytes
    if (!isOld && !isFull) return
    log.warn('dropping the logs of an ended pod that the server has not stored', {
      uid,
      why: isOld ? 'too old' : 'no room',
    })
    await remove(state, uid)
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
