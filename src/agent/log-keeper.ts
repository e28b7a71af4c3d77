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
  /** Files of pods that are no longer named stay open for a while, because questions come after the pod is gone. */
  readonly keep: (uids: readonly string[]) => void
  readonly read: (request: PodLogsRequest) => Promise<Observed<readonly PodLog[]>>
  /** Scans for new files until the signal, then closes all. */
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly held: () => number
}

export type LogKeeperOptions = {
  /** Usually `/var/log/pods`. */
  readonly root: string
  readonly clock: Clock
  readonly mostFiles?: number
  /** How long files stay open after their pod was last named. */
  readonly holdMs?: number
}

type HeldPod = {
  /** By container name, then by run number. */
  readonly containers: Map<string, Map<number, LogChain>>
  releasedAt: number | null
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
        if (known === undefined) state.pods.set(uid, { containers: new Map(), releasedAt: null })
        else known.releasedAt = null
      }
      nudge()
    },
    read: (request) => inTurn(() => readNow(state, request)),
    run: async (signal) => {
      let waiting = new AbortController()
      nudge = () => waiting.abort()
      const stopWatching = watchFolder(state.root, () => nudge())
      while (!signal.aborted) {
        await inTurn(() => scanAll(state))
        waiting = new AbortController()
        await state.clock.sleep(SCAN_MS, AbortSignal.any([signal, waiting.signal]))
        if (waiting.signal.aborted) await state.clock.sleep(QUIET_MS, signal)
      }
      stopWatching()
      await turn
      for (const uid of state.pods.keys()) await drop(state, uid)
    },
    held: () => state.files,
  }
}

async function readNow(state: State, { uid, tailBytes }: PodLogsRequest): ReturnType<LogKeeper['read']> {
  if (!state.pods.has(uid)) state.pods.set(uid, { containers: new Map(), releasedAt: state.clock.now() })
  await scanAll(state, uid)
  const pod = state.pods.get(uid)
  return pod === undefined ? none() : seenList(await readTails(pod, tailBytes))
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
    const folder = folders.get(uid)
    const isOver = pod.releasedAt !== null && state.clock.now() - pod.releasedAt > state.holdMs
    if (isOver && only !== uid) await drop(state, uid)
    else if (folder !== undefined && (only === undefined || only === uid)) {
      await scanPod(state, pod, join(state.root, folder))
    }
  }
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

async function readTails({ containers }: HeldPod, tailBytes: number): Promise<readonly PodLog[]> {
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
