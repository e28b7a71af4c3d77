import type { AuditLogFacts } from './audit-log-facts.ts'

/** Whose lines of an audit log are kept. Null: everybody's. */
export type AuditLogScope = {
  readonly namespaces: ReadonlySet<string> | null
  readonly nodes: ReadonlySet<string> | null
  /** Of the namespaces; requests that name no pod are kept too, because they may mean any. */
  readonly pods?: ReadonlySet<string> | null
  readonly window: { readonly from: number; readonly to: number | null }
  /** Up to here it should have been looking: a source that lags may be given a moment. */
  readonly awaited?: number
}

/** Who changed a pod of the namespace, a node that it is on, or the namespace itself. Reads do no harm. */
export function isKept(line: AuditLogFacts, scope: AuditLogScope): boolean {
  const { at, verb, resource, namespace, name } = line
  if (/^(?:get|list|watch)$/.test(verb) || at === null || !isInside(at, scope.window)) return false
  switch (resource) {
    case 'pods':
      return has(scope.namespaces, namespace) && (name === null || has(scope.pods ?? null, name))
    case 'nodes':
      return has(scope.nodes, name)
    case 'namespaces':
      return has(scope.namespaces, name)
    default:
      return false
  }
}

function isInside(at: number, { from, to }: AuditLogScope['window']): boolean {
  return at >= from && at <= (to ?? Infinity)
}

function has(names: ReadonlySet<string> | null, name: string | null): boolean {
  return names === null || (name !== null && names.has(name))
}

const MAY_BE_KEPT = /"resource":"(?:pods|nodes|namespaces)"/

/** Parsing is the most of the work, and nearly all lines are about something else. */
export function mayBeKept(line: string): boolean {
  return MAY_BE_KEPT.test(line)
}
