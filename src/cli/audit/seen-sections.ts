import type { Section } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import type { AuditReport, SourceReport } from '#/core/audit/run-audit.ts'

/** An audit that could not see everything never reads as "all is well". */
export function quietSections(reports: readonly AuditReport[]): readonly Section[] {
  const quiet = reports.filter(({ findings }) => findings.length === 0)
  const isWhole = ({ sources }: AuditReport): boolean => sources.every(({ ok }) => ok)
  const whole = quiet.filter(isWhole).map(({ id }) => id)
  const partial = quiet.filter((report) => !isWhole(report)).map(describePartial)
  return [
    ...(whole.length === 0 ? [] : [{ text: `No findings: ${whole.join(', ')}.` }]),
    ...(partial.length === 0 ? [] : [{ text: `No findings in what could be seen: ${partial.join(', ')}.` }]),
  ]
}

function describePartial({ id, sources }: AuditReport): string {
  return `${id} (${sources.filter(({ ok }) => ok).length} of ${sources.length} sources)`
}

/** What all audits looked at and what they did not, each source once. */
export function seenSections(reports: readonly AuditReport[]): readonly Section[] {
  const seen = new Map<string, SourceReport>()
  for (const { sources } of reports) for (const source of sources) if (source.ok) seen.set(groupName(source), source)
  const looked = [...seen].map(([name, { rows }]) => (rows === undefined ? name : `${name} (${rows})`))
  const remarks = reports.flatMap(({ sources }) => sources.filter(({ ok }) => ok)).flatMap(describeRemark)
  const unseen = unseenRows(reports)
  return [
    {
      text: [looked.length === 0 ? 'Looked at: nothing.' : `Looked at: ${looked.join(', ')}.`, ...new Set(remarks)]
        .map((line) => printable(redact(line)))
        .join('\n'),
    },
    ...(unseen.length === 0
      ? []
      : [
          {
            title: 'Not looked at',
            table: { columns: ['source', 'would show', 'why not', 'to see it'], rows: unseen },
          },
        ]),
  ]
}

function describeRemark({ name, remark }: SourceReport): readonly string[] {
  return remark === undefined ? [] : [`  ${name}: ${remark}`]
}

function unseenRows(reports: readonly AuditReport[]): readonly (readonly string[])[] {
  const all = reports.flatMap(({ id, sources }) => sources.filter(({ ok }) => !ok).map((source) => ({ id, source })))
  const byName = Map.groupBy(all, ({ source }) => groupName(source))
  return [...byName].map(([name, uses]) => {
    const gives = new Set(uses.flatMap(({ source }) => source.gives ?? []))
    const audits = [...new Set(uses.map(({ id }) => id))].join(', ')
    // Several audits learn different things from it: their pages say what.
    const shows = gives.size === 1 ? `${audits}: ${[...gives].join('')}` : audits
    const [first] = uses
    const cells = [name, shows, first?.source.reason ?? '-', first?.source.toSeeIt ?? '-']
    return cells.map((cell) => printable(redact(cell)))
  })
}

/** Five hundred nodes without statistics are one row. */
function groupName({ name }: SourceReport): string {
  return /^kubernetes\/(?:stats|configz)\//.test(name) ? name.split('/').slice(0, 2).join('/') : name
}
