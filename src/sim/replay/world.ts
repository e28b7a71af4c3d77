import { toFields, textAt } from '#/core/basics/fields.ts'
import type { Clock } from '#/ports/clock.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { JobDocuments } from './github-documents.ts'
import { createObjectStore } from './object-store.ts'
import type { ObjectStore } from './object-store.ts'
import type { Play, Written } from './play.ts'
import type { PodPhase } from './pod-life.ts'

/** The world in which replayed runners live and die: what exists now, by the clock. */
export type World = {
  readonly store: ObjectStore
  readonly clock: Clock
  readonly begin: (play: Play) => void
  readonly plays: () => readonly Play[]
  readonly readLog: (uid: string, container: string) => readonly Written[] | null
  readonly jobs: () => readonly JobDocuments[]
  readonly audit: AuditLog
  /** Lets things happen when they are due, until the signal. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

const LOOKS_AGAIN_MS = 50

type Due = { readonly at: number; readonly happen: () => void }

export function createWorld(clock: Clock): World {
  const store = createObjectStore()
  const plays = new Map<string, Play>()
  let due: Due[] = []
  const happenDue = (): void => {
    const now = clock.now()
    const ripe = due.filter(({ at }) => at <= now)
    due = due.filter(({ at }) => at > now)
    for (const { happen } of ripe) happen()
  }
  const begin = (play: Play): void => {
    plays.set(play.uid, play)
    const coming = [...enter(store, play, clock.now()), { at: play.overAt, happen: () => leave(store, plays, play) }]
    due = [...due, ...coming].toSorted((a, b) => a.at - b.at)
  }
  return {
    store,
    clock,
    begin,
    plays: () => [...plays.values()],
    readLog: (uid, container) => plays.get(uid)?.logs.get(container) ?? null,
    jobs: () => [...plays.values()].flatMap(({ job }) => job ?? []),
    audit: { lines: () => auditLines([...plays.values()], clock.now()) },
    run: async (signal) => {
      while (!signal.aborted) {
        happenDue()
        await clock.sleep(LOOKS_AGAIN_MS, signal)
      }
    },
  }
}

/** What has happened already is there at once, of a pod only its present state; the rest is answered, to happen later. */
function enter(store: ObjectStore, play: Play, now: number): readonly Due[] {
  const place = { namespace: play.namespace, name: play.pod }
  const show = ({ object }: PodPhase): void => {
    if (object === null) store.remove('pods', place)
    else store.put('pods', object)
  }
  if (play.nodeObject !== null) store.put('nodes', play.nodeObject)
  if (play.record !== null) store.put('ephemeralrunners', play.record)
  const present = play.phases.findLast(({ at }) => at <= now)
  if (present !== undefined) show(present)
  for (const { at, object } of play.events) if (at <= now) store.put('events', object)
  return [
    ...play.phases.filter(({ at }) => at > now).map((phase) => ({ at: phase.at, happen: () => show(phase) })),
    ...play.events
      .filter(({ at }) => at > now)
      .map(({ at, object }) => ({ at, happen: () => void store.put('events', object) })),
  ]
}

/** Nobody asks about it any more. A node stays while somebody else is on it. */
function leave(store: ObjectStore, plays: Map<string, Play>, play: Play): void {
  const { namespace, node } = play
  plays.delete(play.uid)
  store.remove('pods', { namespace, name: play.pod })
  store.remove('ephemeralrunners', { namespace, name: play.pod })
  for (const { object } of play.events) {
    const metadata = toFields(object['metadata'])
    store.remove('events', { namespace: textAt(metadata, 'namespace'), name: textAt(metadata, 'name') ?? '' })
  }
  const isShared = [...plays.values()].some((other) => other.node === node)
  if (node !== null && !isShared) store.remove('nodes', { namespace: null, name: node })
}

async function* auditLines(plays: readonly Play[], now: number): ReturnType<AuditLog['lines']> {
  const written = plays.flatMap(({ audit }) => audit.filter(({ at }) => at <= now))
  for (const { text } of written.toSorted((a, b) => a.at - b.at)) yield { kind: 'line', text } as const
}
