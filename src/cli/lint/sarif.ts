import { pathToFileURL } from 'node:url'
import { isAbsolute } from 'node:path'
import { findingToJson } from '#/cli/audit/render-audit.ts'
import { ownPackage } from '#/adapters/files/own-package.ts'
import type { AuditClass } from '#/core/audit/audit.ts'
import type { Finding, Severity } from '#/core/audit/finding.ts'

const LEVELS: Readonly<Record<Severity, 'note' | 'warning' | 'error'>> = {
  info: 'note',
  warning: 'warning',
  critical: 'error',
}

/** SARIF 2.1.0 for code scanning. */
export function toSarif(path: string, findings: readonly Finding[], classes: readonly AuditClass[]) {
  const uri = toUri(path)
  const rules = classes.filter(({ class: id }) => findings.some((finding) => finding.class === id))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'signalbox',
            semanticVersion: ownPackage().version,
            rules: rules.map(({ class: id, severity, meaning, next }) => ({
              id,
              shortDescription: { text: meaning },
              help: { text: next },
              defaultConfiguration: { level: LEVELS[severity] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        artifacts: [{ location: { uri } }],
        results: findings.map((finding) => toResult(finding, uri, rules)),
      },
    ],
  }
}

function toResult(finding: Finding, uri: string, rules: readonly AuditClass[]) {
  const { class: id, severity, subject, evidence, hint } = findingToJson(finding)
  return {
    ruleId: id,
    ruleIndex: rules.findIndex((rule) => rule.class === id),
    level: LEVELS[severity],
    message: { text: `${evidence.join('; ')}. ${hint}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri, index: 0 },
          region: { startLine: subject.line ?? 1, startColumn: subject.column ?? 1 },
        },
      },
    ],
  }
}

/** A path inside the repository stays relative: code scanning resolves it against the checkout. */
function toUri(path: string): string {
  if (isAbsolute(path)) return pathToFileURL(path).href
  return path.replace(/^\.\//, '').split('/').map(encodeURIComponent).join('/')
}
