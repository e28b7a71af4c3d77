import type { Findings } from '#/ports/store/findings.ts'
import { asStored } from './as-stored.ts'
import { byText } from './tables.ts'
import type { StoredFinding, Tables } from './tables.ts'

export function memoryFindings(tables: Tables): Findings {
  return {
    replace: async (audit, at, findings) => {
      const former = tables.findings.get(audit)
      const present = new Map<string, StoredFinding>()
      for (const finding of findings) {
        const firstSeenAt = former?.get(finding.key)?.firstSeenAt ?? at
        const document = asStored(finding.document)
        present.set(finding.key, { ...finding, document, audit, firstSeenAt, lastSeenAt: at })
      }
      tables.findings.set(audit, present)
    },
    list: async ({ audit, limit }) =>
      [...tables.findings.values()]
        .flatMap((findings) => findings.values().toArray())
        .filter((finding) => audit === undefined || finding.audit === audit)
        .sort((a, b) => byText(a.audit, b.audit) || byText(a.key, b.key))
        .slice(0, limit),
  }
}
