import { parseJson } from '#/core/evidence/bundle-json.ts'
import { findGlassBreaker, findGlassWriter } from '#/core/guard/break-glass.ts'
import { BREAK_GLASS, readBreakGlass } from '#/core/guard/stamp.ts'
import { textAt } from '#/core/basics/fields.ts'
import { redactText } from '#/core/redaction/redaction.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Log } from '#/ports/log.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { ServedTerm } from '#/runtime/lead/loop.ts'
import { sha256 } from '#/runtime/sha256.ts'

/** Writes into the ledger who broke the glass, once for each object. */
export type GlassWatch = {
  readonly hear: (event: WatchEvent) => void
  /** Writes what was heard, as the leader of this term; what cannot be written now is tried again. */
  readonly record: (signal: AbortSignal, term: ServedTerm) => Promise<void>
}

export type GlassMeans = {
  readonly ledger: Pick<Ledger, 'record' | 'list'>
  /** Null where there is none: then the person is not known. */
  readonly audit: AuditLog | null
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

type Broken = { readonly object: KubeObject; readonly seenAt: number }

const MOST_REMEMBERED = 10_000
const LOOK_BACK_MS = 10 * 60_000

export function createGlassWatch(means: GlassMeans): GlassWatch {
  const waiting = new Map<string, Broken>()
  const written = new Set<string>()
  const see = (object: KubeObject): void => {
    const { uid } = object.metadata
    if (written.has(uid) || waiting.has(uid) || readBreakGlass(object) === null) return
    waiting.set(uid, { object, seenAt: means.clock.now() })
  }
  return {
    hear: (event) => {
      if (event.kind === 'listed') for (const object of [...event.items, ...event.vanished]) see(object)
      // Of what was deleted at once, only this event may have the annotation.
      else if ('object' in event) see(event.object)
    },
    record: async (signal, term) => {
      for (const [uid, broken] of waiting) {
        await recordOne(broken, { ...means, term }, signal)
        waiting.delete(uid)
        if (written.size >= MOST_REMEMBERED) written.clear()
        written.add(uid)
      }
    },
  }
}

type RecordMeans = GlassMeans & { readonly term: ServedTerm }

async function recordOne({ object, seenAt }: Broken, means: RecordMeans, signal: AbortSignal): Promise<void> {
  const { kind, metadata } = object
  const { name, namespace = '', uid } = metadata
  const before = await means.ledger.list({ act: 'break-glass', name, limit: 100 })
  if (before.some(({ subject }) => subject.uid === uid)) return
  const writer = findGlassWriter(object)
  const person = await findPerson({ object, seenAt }, means.audit, signal)
  const reason = redactText(readBreakGlass(object) ?? '', sha256)
  const set = textAt(object, 'metadata', 'labels', 'actions.github.com/scale-set-name')
  const why = `${BREAK_GLASS} was set${writer === null ? '' : ` by ${writer.manager}`}: ${reason}`
  means.log.warn('somebody broke the glass', { kind, namespace, name, actor: person, why: reason })
  const recorded = await means.ledger.record({
    at: writer?.at ?? seenAt,
    act: 'break-glass',
    subject: { kind, namespace, name, uid },
    loop: 'guard',
    actor: person ?? 'unknown',
    gates: [],
    evidence: null,
    epoch: means.term.epoch(),
    run: `guard-${uid}`,
    scaleSet: set === null ? null : `${namespace}/${set}`,
    places: 0,
    outcome: 'done',
    decidedBy: null,
    why,
  })
  if (recorded.kind === 'fenced') throw new Error('another server leads, and writes it')
}

/** The audit log that the recorder has; it keeps no lines about ARC's records. */
async function findPerson(
  { object, seenAt }: Broken,
  audit: AuditLog | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (audit === null || object.kind !== 'Pod') return null
  const { name, namespace = '' } = object.metadata
  const scope = {
    namespaces: new Set([namespace]),
    nodes: new Set<string>(),
    pods: new Set([name]),
    window: { from: seenAt - LOOK_BACK_MS, to: null },
    awaited: seenAt,
  }
  const lines: unknown[] = []
  for await (const event of audit.lines(signal, scope)) {
    const reading = event.kind === 'line' ? parseJson(event.text) : null
    if (reading?.kind === 'parsed') lines.push(reading.value)
  }
  return findGlassBreaker(lines, { namespace, name, resource: 'pods' })
}
