import { watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { none, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { PodLog, PodLogsRequest } from '#/ports/node-agents.ts'
import { readCriLog } from './cri-log.ts'
import { closeChain, inodeAt, openLog, tailOfChain, turnedOver } from './log-files.ts'
import type { LogChain } from './log-files.ts'

/** Keeps runner log files open: an open file survives being unlinked. */
export type LogKeeper = {
  /** Pods that are no longer named are copied at once, and their files stay open for a while: the last lines may come after. */
  readonly keep: (uids: readonly string[]) => void
  readonly read: (request: PodLogsRequest) => Promise<Observed<readonly PodLog[]>>
  /** Closes the files of a pod that nobody needs any more. */
  readonly forget: (uid: string) => Promise<void>
  /** Scans for new files until the signal, then closes all. */
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly held: () => number
}

export type LogKeeperOptions = {
  /** Usually `/var/log/pods`. */
  readonly root: string
  readonly clock: Clock
  /** Takes the ends of the logs of a pod that has ended, before its files are closed. */
  readonly copy: (uid: string, logs: readonly PodLog[]) => Promise<void>
  readonly mostFiles?: number
  /** How long files stay open after their pod was last named. */
  readonly holdMs?: number
}

type HeldPod = {
  /** By container name, then by run number. */
  readonly containers: Map<string, Map<number, LogChain>>
  releasedAt: number | null
  /** Only asked about, never named: nobody waits for its end. */
  isNamed: boolean
  /** The kubelet has removed its folder. */
  isGone: boolean
  hadFolder: boolean
  isCopied: boolean
}

type State = Required<LogKeeperOptions> & {
  readonly pods: Map<string, HeldPod>
  files: number
}

const MOST_FILES = 1024
const HOLD_MS = 180_000
const SCAN_MS = 2000
const QUIET_MS = 50
const RUNS = 2
/** Each waits for the disk in one of four threads; the rest of the agent needs the others. */
const COPIES_AT_ONCE = 2
/** What is copied of one log, and of all logs of a pod. */
const COPY_BYTES = 256 * 1024
const MOST_COPY_BYTES = 4 * 1024 * 1024
/** As JSON it may be twice that, and must fit into an answer. */
const MOST_ANSWER_BYTES = 6 * 1024 * 1024

export function createLogKeeper(options: LogKeeperOptions): LogKeeper {
  const state: State = { mostFiles: MOST_FILES, holdMs: HOLD_MS, ...options, pods: new Map(), files: 0 }
  let turn: Promise<void> = Promise.resolve()
  // One at a time: a parallel scan could close what this one reads.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work)
    turn = done.then(
      () => {},
      () => {},
    )
    return done
  }
  let nudge = (): void => {}
  return {
    keep: (uids) => {
      const wanted = new Set(uids)
      for (const [uid, pod] of state.pods) if (!wanted.has(uid)) pod.releasedAt ??= state.clock.now()
      for (const uid of wanted) {
        const known = state.pods.get(uid)
        if (known === undefined) state.pods.set(uid, newPod({ releasedAt: null, isNamed: true }))
        else Object.assign(known, { releasedAt: null, isNamed: true, isCopied: false })
      }
      nudge()
    },
    read: (request) => inTurn(() => readNow(state, request)),
    forget: (uid) => inTurn(() => drop(state, uid)),
    run: async (signal) => {
      let waiting = new AbortController()
      let isDue = false
      nudge = () => {
        isDue = true
        waiting.abort()
      }
      const stopWatching = watchFolder(state.root, () => nudge())
      while (!signal.aborted) {
        isDue = false
        await inTurn(async () => {
          await scanAll(state)
          await copyEnded(state)
        })
        waiting = new AbortController()
        // What changed during the scan may have been passed already.
        if (!isDue) await state.clock.sleep(SCAN_MS, AbortSignal.any([signal, waiting.signal]))
        if (isDue) await state.clock.sleep(QUIET_MS, signal)
      }
      stopWatching()
      await turn
      for (const uid of state.pods.keys()) await drop(state, uid)
    },
    held: () => state.files,
  }
}

async function readNow(state: State, { uid, tailBytes }: PodLogsRequest): ReturnType<LogKeeper['read']> {
  if (!state.pods.has(uid)) state.pods.set(uid, newPod({ releasedAt: state.clock.now(), isNamed: false }))
  await scanAll(state, uid)
  const pod = state.pods.get(uid)
  return pod === undefined ? none() : seenList(await readTails(pod, tailBytes, MOST_ANSWER_BYTES))
}

/** Reports new pods early; where file watching fails, the next scan finds them. */
function watchFolder(folder: string, changed: () => void): () => void {
  try {
    const watcher = watch(folder, changed)
    watcher.on('error', () => {})
    return () => watcher.close()
  } catch {
    return () => {}
  }
}

async function scanAll(state: State, only?: string): Promise<void> {
  const folders = new Map<string, string>()
  for (const name of await foldersIn(state.root)) folders.set(name.slice(name.lastIndexOf('_') + 1), name)
  for (const [uid, pod] of state.pods) {
    if (only !== undefined && only !== uid) continue
    const folder = folders.get(uid)
    pod.isGone = pod.hadFolder && folder === undefined
    if (folder === undefined) continue
    pod.hadFolder = true
    await scanPod(state, pod, join(state.root, folder))
  }
}

/** Copies what has ended since the last scan, and closes what nobody writes to any more. */
async function copyEnded(state: State): Promise<void> {
  const ended = [...state.pods].filter(([, pod]) => pod.isGone || pod.releasedAt !== null)
  for (let begin = 0; begin < ended.length; begin += COPIES_AT_ONCE) {
    await Promise.all(ended.slice(begin, begin + COPIES_AT_ONCE).map(([uid, pod]) => copyPod(state, uid, pod)))
  }
}

async function copyPod(state: State, uid: string, pod: HeldPod): Promise<void> {
  const { clock, holdMs, copy } = state
  const isOver = pod.isGone || (pod.releasedAt !== null && clock.now() - pod.releasedAt > holdMs)
  if (pod.isNamed && (isOver || !pod.isCopied)) {
    await copy(uid, await readTails(pod, COPY_BYTES, MOST_COPY_BYTES))
    pod.isCopied = true
  }
  if (isOver) await drop(state, uid)
}

function newPod(given: Pick<HeldPod, 'releasedAt' | 'isNamed'>): HeldPod {
  return { containers: new Map(), isGone: false, hadFolder: false, isCopied: false, ...given }
}

/** Ignores links: they could lead to other files of the node. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

async function scanPod(state: State, pod: HeldPod, folder: string): Promise<void> {
  for (const container of await foldersIn(folder)) {
    const names = await readdir(join(folder, container)).catch(() => [])
    const runs = names.flatMap((name) => /^(\d{1,6})\.log$/.exec(name)?.[1] ?? []).map(Number)
    const latest = runs.toSorted((a, b) => b - a).slice(0, RUNS)
    const chains = pod.containers.get(container) ?? new Map<number, LogChain>()
    pod.containers.set(container, chains)
    for (const run of latest) await follow(state, { pod, chains }, { folder: join(folder, container), run })
    for (const [run, chain] of chains) {
      if (latest.includes(run) || chains.size <= RUNS) continue
      chains.delete(run)
      await letGo(state, chain)
    }
  }
}

type Place = { readonly folder: string; readonly run: number }

type Holder = { readonly pod: HeldPod; readonly chains: Map<number, LogChain> }

async function follow(state: State, { pod, chains }: Holder, { folder, run }: Place): Promise<void> {
  const path = join(folder, `${run}.log`)
  const known = chains.get(run)
  const inode = await inodeAt(path)
  if (inode === null || known?.current.inode === inode) return
  if (!(await makeRoom(state, pod))) return
  const opened = await openLog(path)
  if (opened === null) return
  state.files += 1
  if (known === undefined) {
    const before = await turnedOver(folder, run)
    state.files += before === null ? 0 : 1
    chains.set(run, { current: opened, before })
    return
  }
  if (known.before !== null) {
    state.files -= 1
    await known.before.handle.close().catch(() => {})
  }
  known.before = known.current
  known.current = opened
}

/** Frees the files of pods released first; never those of a running pod or of the pod that needs the room. */
async function makeRoom(state: State, taker: HeldPod): Promise<boolean> {
  if (state.files + 1 < state.mostFiles) return true
  const released = [...state.pods].filter(([, pod]) => pod !== taker && pod.releasedAt !== null && holdsAny(pod))
  const [oldest] = released.toSorted(([, a], [, b]) => (a.releasedAt ?? 0) - (b.releasedAt ?? 0))
  if (oldest === undefined) return false
  await copyPod(state, ...oldest)
  await drop(state, oldest[0])
  return true
}

function holdsAny({ containers }: HeldPod): boolean {
  return [...containers.values()].some(({ size }) => size > 0)
}

async function drop(state: State, uid: string): Promise<void> {
  const pod = state.pods.get(uid)
  state.pods.delete(uid)
  for (const chains of pod?.containers.values() ?? []) {
    for (const chain of chains.values()) await letGo(state, chain)
  }
}

async function letGo(state: State, chain: LogChain): Promise<void> {
  state.files -= chain.before === null ? 1 : 2
  await closeChain(chain)
}

/** All logs of a pod have the same share where they do not fit together. */
async function readTails({ containers }: HeldPod, each: number, inAll: number): Promise<readonly PodLog[]> {
  const count = [...containers.values()].reduce((sum, chains) => sum + Math.min(RUNS, chains.size), 0)
  const tailBytes = Math.min(each, Math.floor(inAll / Math.max(1, count)))
  const logs: PodLog[] = []
  for (const [container, chains] of containers) {
    const runs = [...chains].toSorted(([a], [b]) => b - a)
    for (const [index, [, chain]] of runs.entries()) {
      if (index >= RUNS) break
      const { raw, cut } = await tailOfChain(chain, tailBytes)
      logs.push({ container, previous: index > 0, text: readCriLog(raw), cut })
    }
  }
  return logs
}
