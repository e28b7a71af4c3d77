import { readFileSync } from 'node:fs'
import { countersIn, locateCgroups, readCgroups } from '#/adapters/hosts/find-cgroups.ts'
import type { CgroupFolder } from '#/adapters/hosts/find-cgroups.ts'
import { none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { CgroupCopy, PodOnHost } from '#/ports/this-host.ts'

/** Copies the counters of running containers, because the kernel deletes them within a second after the end. */
export type CgroupKeeper = {
  readonly keep: (pods: readonly PodOnHost[]) => void
  /** Current values; for deleted cgroups, the last copy with its time. */
  readonly read: (pod: PodOnHost, signal: AbortSignal) => Promise<Observed<readonly CgroupCopy[]>>
  readonly run: (signal: AbortSignal) => Promise<void>
  /** The last copies of all watched pods. */
  readonly copies: () => Iterable<CgroupCopy>
  readonly copiesOf: (uid: string) => readonly CgroupCopy[]
  readonly forget: (uid: string) => void
}

type Kept = {
  pod: PodOnHost
  counters: ReadonlyMap<string, Counters>
  readonly copies: Map<string | null, Required<CgroupCopy>>
  releasedAt: number | null
}

/** The counters of one folder, by its path. */
type Counters = { readonly container: string | null; readonly files: Awaited<ReturnType<typeof countersIn>> }

const EVERY_MS = 1000
/** A walk over all cgroups costs more than reading those that are known. */
const WALK_MS = 5000
const HOLD_MS = 180_000

export function createCgroupKeeper(root: string, clock: Clock): CgroupKeeper {
  const kept = new Map<string, Kept>()
  let walkedAt = 0
  let isWalkDue = false
  const look = async (signal: AbortSignal): Promise<void> => {
    forgetOld(kept, clock.now())
    const living = [...kept.values()].filter(({ releasedAt }) => releasedAt === null)
    if (living.length > 0 && (isWalkDue || clock.now() - walkedAt > WALK_MS)) {
      isWalkDue = false
      walkedAt = clock.now()
      const located = await locateCgroups(
        root,
        living.map(({ pod }) => pod),
        signal,
      )
      for (const one of living) await locate(one, located.get(one.pod.uid) ?? [])
    }
    for (const one of living) takeCopies(one, clock.now())
  }
  return {
    keep: (pods) => {
      const wanted = new Map(pods.map((pod) => [pod.uid, pod]))
      for (const [uid, one] of kept) if (!wanted.has(uid)) one.releasedAt ??= clock.now()
      for (const [uid, pod] of wanted) {
        const known = kept.get(uid)
        if (known === undefined || known.pod.containers.length !== pod.containers.length) isWalkDue = true
        if (known === undefined) kept.set(uid, { pod, counters: new Map(), copies: new Map(), releasedAt: null })
        else Object.assign(known, { pod, releasedAt: null })
      }
    },
    read: async (pod, signal) => {
      const located = await locateCgroups(root, [pod], signal)
      const fresh = await readCgroups(located.get(pod.uid) ?? [])
      const old = [...(kept.get(pod.uid)?.copies.values() ?? [])]
      const gone = old.filter(({ container }) => !fresh.some((copy) => copy.container === container))
      const copies = [...fresh, ...gone]
      return copies.length === 0 ? none() : seen(copies)
    },
    run: async (signal) => {
      while (!signal.aborted) {
        // An aborted walk is not a failure.
        await look(signal).catch((error: unknown) => {
          if (!signal.aborted) throw error
        })
        await clock.sleep(EVERY_MS, signal)
      }
    },
    copies: function* () {
      for (const { copies, releasedAt } of kept.values()) if (releasedAt === null) yield* copies.values()
    },
    copiesOf: (uid) => [...(kept.get(uid)?.copies.values() ?? [])],
    forget: (uid) => void kept.delete(uid),
  }
}

function forgetOld(kept: Map<string, Kept>, now: number): void {
  for (const [uid, { releasedAt }] of kept) {
    if (releasedAt !== null && now - releasedAt > HOLD_MS) kept.delete(uid)
  }
}

/** Lists counters only for new folders: they do not change. */
async function locate(one: Kept, folders: readonly CgroupFolder[]): Promise<void> {
  const counters = new Map<string, Counters>()
  for (const { container, folder } of folders) {
    const known = one.counters.get(folder)
    const isKnown = known !== undefined && known.files.length > 0
    counters.set(folder, isKnown ? known : { container, files: await countersIn(folder) })
  }
  one.counters = counters
}

/** A cgroup that vanishes while being read yields only some files; the previous copy fills in the rest. */
function takeCopies({ counters, copies }: Kept, now: number): void {
  for (const { container, files } of counters.values()) {
    const read = files.flatMap(({ name, path }) => {
      const text = readCounter(path)
      return text === null ? [] : [[name, text] as const]
    })
    if (read.length === 0) continue
    const before = copies.get(container)?.files ?? []
    copies.set(container, { container, files: new Map([...before, ...read]), readAt: now })
  }
}

/** Synchronous on purpose: these are in kernel memory, and hundreds of async reads per second cost ten times as much. */
function readCounter(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
