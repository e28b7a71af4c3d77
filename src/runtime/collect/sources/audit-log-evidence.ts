import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import { isKept, mayBeKept } from '#/core/kubernetes/audit-log-scope.ts'
import type { AuditLogScope } from '#/core/kubernetes/audit-log-scope.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import type { Coverage } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { timeAt } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Blind, BlindReason } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

const MOST_CHARACTERS = 32 * 1024 * 1024

export type AuditLogReading = {
  readonly lines: readonly string[]
  /** The time of the first line: earlier requests are not covered. Null for a log without lines. */
  readonly firstAt: number | null
  /** Later requests are not covered; null where the log reaches until now. */
  readonly lastAt: number | null
  /** Of the last line that was kept, where the rest did not fit in. */
  readonly cutAt: number | null
  readonly blind: BlindReason | null
}

export async function readAuditLog(
  log: AuditLog,
  scope: AuditLogScope,
  { signal, most = MOST_CHARACTERS }: { readonly signal: AbortSignal; readonly most?: number },
): Promise<AuditLogReading> {
  const keeper = createKeeper(scope, most)
  for await (const event of log.lines(signal, scope)) {
    if (event.kind === 'blind') return keeper.reading(event.reason)
    if (event.kind === 'looking') keeper.looking(event)
    else if (!keeper.take(event.text)) break
  }
  return keeper.reading(null)
}

function createKeeper(scope: AuditLogScope, most: number) {
  const lines: string[] = []
  let firstAt: number | null = null
  let lastAt: number | null = null
  let lastKeptAt = scope.window.from
  let cutAt: number | null = null
  let room = most
  return {
    looking: ({ from, to }: { readonly from: number; readonly to: number | null }): void => {
      firstAt = from
      lastAt = to
    },
    /** False when there is no room for more. */
    take: (text: string): boolean => {
      if (firstAt !== null && !mayBeKept(text)) return true
      const { facts, writtenAt } = factsIn(text)
      firstAt ??= writtenAt
      if (facts === null || !isKept(facts, scope)) return true
      room -= text.length
      if (room < 0) {
        cutAt = lastKeptAt
        return false
      }
      lines.push(text)
      lastKeptAt = facts.at ?? lastKeptAt
      return true
    },
    reading: (reason: BlindReason | null): AuditLogReading => ({ lines, firstAt, lastAt, cutAt, blind: reason }),
  }
}

/** A watch is written when it ends, an hour after it was asked for: only when it was written somebody was looking. */
function factsIn(text: string): { readonly facts: AuditLogFacts | null; readonly writtenAt: number | null } {
  const reading = parseJson(text)
  const value = reading.kind === 'parsed' ? reading.value : null
  const facts = readAuditLogLine(value)
  return { facts, writtenAt: timeAt(value, 'stageTimestamp') ?? facts?.at ?? null }
}

export async function* gatherAuditLog(
  { request, answers }: Means,
  scope: AuditLogScope,
  end: AskedEnd | null = null,
): AsyncGenerator<BundleFile> {
  const { audit, signal, clock } = request
  if (audit === null) return
  request.progress('reading the audit log')
  const reading = await readAuditLog(audit, scope, { signal })
  signal.throwIfAborted()
  const found = (end === null ? null : blindAtEnd(reading, end)) ?? auditLogFile(reading, scope, clock.now())
  if (found.kind === 'blind') return answers.blind(AUDIT_LOG_SOURCE, found.reason)
  answers.looked(AUDIT_LOG_SOURCE, found.coverage)
  yield found.file
}

export const AUDIT_LOG_SOURCE = 'kubernetes/audit'

/** The end of a pod that is asked about. */
export type AskedEnd = {
  readonly uid: string
  readonly bornAt: number | null
  /** From when on it may have been asked for, and by when it was over. */
  readonly from: number
  readonly to: number
}

/** A log without a word of the end says by that that nobody asked for it, but only if it was looking. */
export function blindAtEnd(reading: AuditLogReading, end: AskedEnd): Blind | null {
  const { lines, firstAt, lastAt, cutAt } = reading
  if (reading.blind !== null || firstAt === null || lines.some((line) => isRemoval(factsIn(line).facts, end))) {
    return null
  }
  if (firstAt > end.from) {
    return blind('not-asked', `audit events were heard only from ${when(firstAt)} on, and it may have ended before`)
  }
  if (cutAt !== null && cutAt < end.to) return blind('too-large', `audit events after ${when(cutAt)} did not fit in`)
  if (lastAt === null || lastAt >= end.to) return null
  return blind('timeout', `the last audit event that came is of ${when(lastAt)}, and it ended after that`)
}

/** The name may have belonged to another pod before. */
function isRemoval(facts: AuditLogFacts | null, { uid, bornAt }: AskedEnd): boolean {
  if (facts === null || facts.resource !== 'pods' || (facts.uid ?? uid) !== uid) return false
  if (facts.at !== null && facts.at < (bornAt ?? -Infinity)) return false
  return facts.verb.startsWith('delete') || facts.subresource === 'eviction'
}

function when(at: number): string {
  return new Date(at).toISOString()
}

/** What was read, as a bundle has it, with the time that it vouches for. */
export function auditLogFile(
  { lines, firstAt, lastAt, cutAt, blind: broken }: AuditLogReading,
  { window }: AuditLogScope,
  now: number,
): Blind | { readonly kind: 'looked'; readonly coverage: Coverage; readonly file: BundleFile } {
  if (broken !== null) return { kind: 'blind', reason: broken }
  if (firstAt === null) return blind('unsupported', 'the audit log has no line')
  const to = cutAt ?? Math.min(window.to ?? now, lastAt ?? Infinity)
  const coverage = {
    // Of one that began to look after its last line only that line is vouched for.
    from: Math.min(Math.max(window.from, firstAt), to),
    to,
    remark: `the log of one API server${cutAt === null ? '' : '; more lines did not fit in'}`,
  }
  return {
    kind: 'looked',
    coverage,
    file: { path: bundlePath.audit, content: lines.map((line) => `${line}\n`).join('') },
  }
}
