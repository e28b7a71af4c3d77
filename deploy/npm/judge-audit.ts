export type AuditJudgement = { readonly ok: boolean; readonly line: string }

type Counts = Readonly<Record<string, number>>

/** What `npm audit --json` says, in one line. A registry that does not answer is not a clean result, and the line says so. */
export function judgeAudit(output: string): AuditJudgement {
  const counts = readCounts(output)
  if (counts === null) {
    return {
      ok: true,
      line: 'NOT AUDITED: the registry does not answer npm audit. Run npm run release:audit where one does.',
    }
  }
  const serious = (counts['high'] ?? 0) + (counts['critical'] ?? 0)
  const all = counts['total'] ?? 0
  if (serious > 0)
    return { ok: false, line: `npm audit: ${serious} high or critical of ${all} vulnerabilities; run npm audit` }
  return { ok: true, line: `npm audit: nothing high or critical, ${all} in total` }
}

function readCounts(output: string): Counts | null {
  try {
    const report = JSON.parse(output) as { readonly metadata?: { readonly vulnerabilities?: Counts } }
    return report.metadata?.vulnerabilities ?? null
  } catch {
    return null
  }
}
