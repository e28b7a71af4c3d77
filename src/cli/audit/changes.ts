import type { Finding } from '#/core/audit/finding.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'

/** Class and subject identify a finding; its evidence may change between reads. */
export function findingKey(audit: string, { class: name, subject }: Finding): string {
  return `${audit} ${name} ${subject.kind} ${subject.namespace ?? ''}/${subject.name}:${subject.line ?? ''}`
}

export type Change = { readonly kind: 'new' | 'gone'; readonly audit: string; readonly finding: Finding }

export function changesBetween(before: readonly AuditReport[], after: readonly AuditReport[]): readonly Change[] {
  const [old, current] = [keyed(before), keyed(after)]
  return [
    ...[...current]
      .filter(([key]) => !old.has(key))
      .map(([, one]): Change => Object.assign({ kind: 'new' as const }, one)),
    ...[...old]
      .filter(([key]) => !current.has(key))
      .map(([, one]): Change => Object.assign({ kind: 'gone' as const }, one)),
  ]
}

function keyed(
  reports: readonly AuditReport[],
): ReadonlyMap<string, { readonly audit: string; readonly finding: Finding }> {
  return new Map(
    reports.flatMap(({ id, findings }) =>
      findings.map((finding) => [findingKey(id, finding), { audit: id, finding }] as const),
    ),
  )
}
