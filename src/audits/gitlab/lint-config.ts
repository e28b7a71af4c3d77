import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import { parseToml } from '#/core/toml/parse-toml.ts'
import type { TomlReading } from '#/core/toml/parse-toml.ts'
import type { TomlTable } from '#/core/toml/toml-value.ts'
import { findEntry, printKey, listTables } from './config-remark.ts'
import type { ConfigRemark } from './config-remark.ts'
import { KNOWN_KEYS } from './known-keys.ts'
import { meantKey } from './meant-key.ts'
import { nestedResources } from './nested-resources.ts'
import { containerFields, podSpecRemarks } from './pod-spec.ts'
import { walkKeys } from './walk-keys.ts'

/** Nobody reads a longer list. */
const MOST_FINDINGS = 1_000

/** All findings of a config.toml, in file order. `file` is its name in the findings. */
export function lintGitLabConfig(text: string, file: string): readonly Finding[] {
  const reading = parseToml(text)
  if (reading.kind === 'refused') return [refusal(reading, file)]
  const remarks = listRemarks(reading.root).toSorted((a, b) => a.at - b.at)
  const findings = remarks
    .slice(0, MOST_FINDINGS)
    .map((remark) => toFinding(remark, { kind: 'File', name: file, ...reading.findPlace(remark.at) }))
  const more = remarks.length - findings.length
  const last = findings.at(-1)
  if (more === 0 || last === undefined) return findings
  const evidence = [...last.evidence, `${more} more findings follow and are not listed`]
  return [...findings.slice(0, -1), { ...last, evidence }]
}

function refusal({ line, column, message }: TomlReading & { kind: 'refused' }, file: string): Finding {
  return {
    class: 'syntax',
    severity: 'warning',
    subject: { kind: 'File', name: file, line, column },
    evidence: [`line ${line}, column ${column}: ${message}`],
    hint: 'correct this line: GitLab Runner rejects the whole file, so the rest was not checked',
  }
}

function toFinding(remark: ConfigRemark, subject: FindingSubject): Finding {
  if (remark.class !== 'unknown-key') {
    const { evidence, hint, fields } = remark
    return { class: remark.class, severity: 'warning', subject, evidence, hint, fields }
  }
  const { advice, meant } = meantKey(remark.name, remark.keys)
  const key = [...remark.path, printKey(remark.name)].join('.')
  return {
    class: remark.class,
    severity: 'warning',
    subject,
    evidence: [`GitLab Runner has no ${remark.isTable ? 'table' : 'key'} ${key} and ignores it`],
    hint: advice,
    fields: { key, ...(meant.length === 0 ? {} : { meant }) },
  }
}

function listRemarks(root: TomlTable): readonly ConfigRemark[] {
  const runners = innerTables(root, 'runners')
  const tables = runners.flatMap((runner) =>
    innerTables(runner, 'kubernetes').map((kubernetes) => ({
      runner,
      kubernetes,
      nested: nestedResources(kubernetes),
    })),
  )
  const reported = new Set(
    tables.flatMap(({ kubernetes, nested }) => [
      ...nested.reported,
      ...innerTables(kubernetes, 'pod_spec').flatMap(containerFields),
    ]),
  )
  return [
    ...tables.flatMap(({ nested }) => nested.remarks),
    ...tables.flatMap(({ runner, kubernetes }) => podSpecRemarks(runner, kubernetes)),
    ...walkKeys(root, KNOWN_KEYS, [], reported),
  ]
}

function innerTables(table: TomlTable, name: string): readonly TomlTable[] {
  const entry = findEntry(table, name)
  return entry === null ? [] : listTables(entry.value)
}
