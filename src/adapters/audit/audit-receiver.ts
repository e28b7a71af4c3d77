import { at, fieldsOf, textAt } from '#/core/fields.ts'
import type { AuditLog, AuditLogEvent } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import { createAuditRing, RING_LIMITS } from './audit-ring.ts'
import type { AuditRing } from './audit-ring.ts'

/** What the audit webhook of the API server sent. */
export type AuditReceiver = AuditLog & {
  /** How many of them are kept; null while nobody records deaths here. */
  readonly take: (events: readonly unknown[]) => number | null
  /** From now on deaths are recorded here, until they are not. What is kept goes then: another one records. */
  readonly open: () => Disposable
}

const PATIENCE_MS = 5000
const LOOK_MS = 100

export function createAuditReceiver(
  namespaces: ReadonlySet<string> | null,
  clock: Clock,
  limits = RING_LIMITS,
): AuditReceiver {
  let ring: AuditRing | null = null
  /** Who was waited for in vain is not waited for again before it has sent something. */
  let isAwaited = false
  const wait = async (until: number, signal: AbortSignal): Promise<void> => {
    const given = clock.now() + PATIENCE_MS
    while (isAwaited && (ring?.covered()?.to ?? until) < until && !signal.aborted) {
      if (clock.now() >= given) isAwaited = false
      else await clock.sleep(LOOK_MS, signal)
    }
  }
  return {
    take: (events) => {
      if (ring === null) return null
      const own = ring
      isAwaited = true
      const isFirst = own.covered() === null
      const kept = events.filter((event) => own.offer(event, () => JSON.stringify(essence(event)))).length
      if (isFirst) startLooking(own, events)
      else for (const event of events) own.looked(event)
      return kept
    },
    open: () => {
      const opened = createAuditRing(namespaces, limits)
      ring = opened
      return {
        [Symbol.dispose]: () => {
          if (ring === opened) ring = null
        },
      }
    },
    lines: async function* (signal, scope): AsyncGenerator<AuditLogEvent> {
      if (scope.awaited !== undefined) await wait(scope.awaited, signal)
      const covered = ring?.covered() ?? null
      if (ring === null || covered === null) {
        yield { kind: 'blind', reason: { code: 'unsupported', detail: NOTHING_SENT } }
        return
      }
      yield { kind: 'looking', ...covered }
      yield* ring.lines(scope)
    },
  }
}

const NOTHING_SENT = 'no API server has sent audit events to /v1/audit since deaths are recorded here'

/** Batches are sent side by side, so one that is older than the first may be lost: only its end is vouched for. */
function startLooking(ring: AuditRing, events: readonly unknown[]): void {
  const latest = events.toSorted((a, b) => endOf(b) - endOf(a))[0]
  if (latest !== undefined) ring.looked(latest)
}

function endOf(event: unknown): number {
  return Date.parse(textAt(event, 'stageTimestamp') ?? '') || 0
}

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

/** Without the objects: a pod as it is created may carry secrets, and is large. How a delete was asked for stays. */
function essence(event: unknown): unknown {
  const fields = fieldsOf(event)
  const kept = KEPT.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]] as const]))
  const isRemoval =
    (textAt(event, 'verb') ?? '').startsWith('delete') || at(event, 'objectRef', 'subresource') === 'eviction'
  const asked = isRemoval && fields['requestObject'] !== undefined ? { requestObject: fields['requestObject'] } : {}
  return { ...Object.fromEntries(kept), ...asked }
}
