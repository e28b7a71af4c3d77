import type { AuditLogFacts } from './audit-log-facts.ts'

/** Which audit log lines are kept. Null: all. */
export type AuditLogScope = {
  readonly namespaces: ReadonlySet<string> | null
  readonly nodes: ReadonlySet<string> | null
  /** Pods of the namespaces; requests without a pod name are kept too, because they can affect any pod. */
  readonly pods?: ReadonlySet<string> | null
  readonly window: { readonly from: number; readonly to: number | null }
  /** The log should cover the time up to here: a source that lags may get a moment to catch up. */
  readonly awaited?: number
}

/** Keeps changes of the pods, their nodes and the namespace. Reads are skipped. */
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

/** Checks the raw text first: parsing is expensive, and nearly all lines are about something else. */
export function mayBeKept(line: string): boolean {
  return MAY_BE_KEPT.test(line)
}
