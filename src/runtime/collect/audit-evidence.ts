import { readAudit } from '#/core/audit-facts.ts'
import type { AuditFacts } from '#/core/audit-facts.ts'
import { parseJson } from '#/core/bundle-json.ts'
import { bundlePath } from '#/core/bundle-path.ts'
import { blind } from '#/core/observed.ts'
import type { BlindReason } from '#/core/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Means } from './request.ts'
import type { Window } from './window.ts'

/** Whose lines are kept. Null: everybody's. */
export type AuditScope = {
  readonly namespaces: ReadonlySet<string> | null
  readonly nodes: ReadonlySet<string> | null
  readonly window: Window
}

/** Who changed a pod of the namespace, a node that it is on, or the namespace itself. Reads do no harm. */
export function isKept(line: AuditFacts, scope: AuditScope): boolean {
  const { at, verb, resource, namespace, name } = line
  if (/^(?:get|list|watch)$/.test(verb) || at === null || !isInside(at, scope.window)) return false
  switch (resource) {
    case 'pods':
      return has(scope.namespaces, namespace)
    case 'nodes':
      return has(scope.nodes, name)
    case 'namespaces':
      return has(scope.namespaces, name)
    default:
      return false
  }
}

function isInside(at: number, { from, to }: Window): boolean {
  return at >= from && at <= (to ?? Infinity)
}

function has(names: ReadonlySet<string> | null, name: string | null): boolean {
  return names === null || (name !== null && names.has(name))
}

const MOST_CHARACTERS = 32 * 1024 * 1024
/** Parsing is the most of the work, and nearly all lines are about something else. */
const MAY_BE_KEPT = /"resource":"(?:pods|nodes|namespaces)"/

export type AuditReading = {
  readonly lines: readonly string[]
  /** The time of the first line of the log: before it nobody was looking. Null for a log without lines. */
  readonly firstAt: number | null
  /** Of the last line that was kept, where the rest did not fit in. */
  readonly cutAt: number | null
  readonly blind: BlindReason | null
}

export async function readAuditLog(
  log: AuditLog,
  scope: AuditScope,
  { signal, most = MOST_CHARACTERS }: { readonly signal: AbortSignal; readonly most?: number },
): Promise<AuditReading> {
  const keeper = createKeeper(scope, most)
  for await (const event of log.lines(signal)) {
    if (event.kind === 'blind') return keeper.reading(event.reason)
    if (!keeper.take(event.text)) break
  }
  return keeper.reading(null)
}

function createKeeper(scope: AuditScope, most: number) {
  const lines: string[] = []
  let firstAt: number | null = null
  let lastAt = scope.window.from
  let cutAt: number | null = null
  let room = most
  return {
    /** False when there is no room for more. */
    take: (text: string): boolean => {
      if (firstAt !== null && !MAY_BE_KEPT.test(text)) return true
      const facts = factsIn(text)
      firstAt ??= facts?.at ?? null
      if (facts === null || !isKept(facts, scope)) return true
      room -= text.length
      if (room < 0) {
        cutAt = lastAt
        return false
      }
      lines.push(text)
      lastAt = facts.at ?? lastAt
      return true
    },
    reading: (reason: BlindReason | null): AuditReading => ({ lines, firstAt, cutAt, blind: reason }),
  }
}

function factsIn(text: string): AuditFacts | null {
  const reading = parseJson(text)
  return reading.kind === 'parsed' ? readAudit(reading.value) : null
}

export async function* gatherAudit({ request, answers }: Means, scope: AuditScope): AsyncGenerator<BundleFile> {
  const { audit, signal, clock } = request
  if (audit === null) return
  request.progress('reading the audit log')
  const { lines, firstAt, cutAt, blind: broken } = await readAuditLog(audit, scope, { signal })
  signal.throwIfAborted()
  const reason = broken ?? (firstAt === null ? blind('unsupported', 'the audit log has no line').reason : null)
  if (reason !== null) return answers.blind('kubernetes/audit', reason)
  answers.looked('kubernetes/audit', {
    from: Math.max(scope.window.from, firstAt ?? scope.window.from),
    to: cutAt ?? scope.window.to ?? clock.now(),
    remark: `the log of one API server${cutAt === null ? '' : '; more lines did not fit in'}`,
  })
  yield { path: bundlePath.audit, content: lines.map((line) => `${line}\n`).join('') }
}
