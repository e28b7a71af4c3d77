import { at, toFields, textAt } from '#/core/basics/fields.ts'
import type { AuditLog, AuditLogEvent } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { createAuditLogRing, RING_LIMITS } from './audit-log-ring.ts'
import type { AuditLogRing, RingLimits } from './audit-log-ring.ts'
import { ALLOWED_AHEAD_MS, warnOfFutureEvents } from './future-events.ts'
import { printEvent } from './print-event.ts'

/** The audit events that the API server sent to the webhook. */
export type AuditLogReceiver = Required<AuditLog> & {
  /** How many of them were kept; null while this replica does not record deaths. */
  readonly take: (events: readonly unknown[]) => number | null
  /** Starts receiving until disposed. Then the events are dropped: another replica records. */
  readonly open: () => Disposable
}

const SILENT: Pick<Log, 'warn'> = { warn: () => {} }
const PATIENCE_MS = 5000
const LOOK_MS = 100

export type ReceiverOptions = { readonly log?: Pick<Log, 'warn'>; readonly limits?: RingLimits }

export function createAuditLogReceiver(
  namespaces: ReadonlySet<string> | null,
  clock: Clock,
  { log = SILENT, limits = RING_LIMITS }: ReceiverOptions = {},
): AuditLogReceiver {
  const warn = warnOfFutureEvents(log, 'the audit webhook')
  let ring: AuditLogRing | null = null
  let takenSince: number | null = null
  /** After a wait without an event there is no further wait until something was sent. */
  let isAwaited = false
  const wait = async (until: number, signal: AbortSignal): Promise<void> => {
    // Counted, and not read from a clock that may be set meanwhile.
    let waitedMs = 0
    while (isAwaited && (ring?.covered()?.to ?? until) < until && !signal.aborted) {
      if (waitedMs >= PATIENCE_MS) isAwaited = false
      else await clock.sleep(LOOK_MS, signal)
      waitedMs += LOOK_MS
    }
  }
  /** Where our clock was ahead when we began, and was set back: what comes from now on is complete. */
  const since = (): number | null => {
    if (takenSince !== null && takenSince > clock.now() + ALLOWED_AHEAD_MS) takenSince = clock.now()
    return takenSince
  }
  return {
    take: (events) => {
      if (ring === null) return null
      const own = ring
      isAwaited = true
      const kept = events.filter((event) => own.offer(event, () => printEvent(essence(event)))).length
      for (const event of events) own.looked(event)
      const to = own.covered()?.to ?? null
      // Events that we refused earlier are resent in any order, also after this one: only later events arrive once.
      if (to !== null) takenSince = since() ?? Math.max(to, clock.now())
      warn(own)
      return kept
    },
    open: () => {
      const opened = createAuditLogRing(namespaces, { now: clock.now, limits })
      ring = opened
      takenSince = null
      return {
        [Symbol.dispose]: () => {
          if (ring === opened) ring = null
        },
      }
    },
    takenSince: since,
    lines: async function* (signal, scope): AsyncGenerator<AuditLogEvent> {
      if (scope.awaited !== undefined) await wait(scope.awaited, signal)
      const covered = ring?.covered() ?? null
      const from = since()
      if (ring === null || covered === null || from === null) {
        yield { kind: 'blind', reason: { code: 'unsupported', detail: NOTHING_SENT } }
        return
      }
      yield { kind: 'looking', from: Math.max(covered.from, from), to: covered.to }
      yield* ring.lines(scope)
    },
  }
}

const NOTHING_SENT = 'no API server has sent audit events to /v1/audit since deaths are recorded here'

const KEPT = [
  'kind',
  'apiVersion',
  'level',
  'auditID',
  'stage',
  'requestURI',
  'verb',
  'user',
  'impersonatedUser',
  'sourceIPs',
  'userAgent',
  'objectRef',
  'responseStatus',
  'requestReceivedTimestamp',
  'stageTimestamp',
]

/** Without the objects: a created pod can contain secrets, and is large. The options of a delete stay. */
export function essence(event: unknown): unknown {
  const fields = toFields(event)
  const kept = KEPT.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]] as const]))
  const isRemoval =
    (textAt(event, 'verb') ?? '').startsWith('delete') || at(event, 'objectRef', 'subresource') === 'eviction'
  const asked = isRemoval && fields['requestObject'] !== undefined ? { requestObject: fields['requestObject'] } : {}
  return { ...Object.fromEntries(kept), ...asked }
}
