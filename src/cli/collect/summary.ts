import type { Output } from '#/cli/output/print-output.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import type { BundleMeta, SourceAnswer } from '#/core/evidence/bundle-meta.ts'

export type Summary = {
  readonly blind: readonly { readonly source: string; readonly reason: string }[]
  readonly view: Output
}

/** The contents of a bundle, source by source. */
export function summarise(written: {
  readonly path: string
  readonly files: number
  readonly bytes: number
  readonly meta: BundleMeta
}): Summary {
  const { path, files, bytes, meta } = written
  const sources = [...meta.sources]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, answer]) => toRow(source, answer))
  const blind = sources.flatMap(({ source, ok, reason }) => (ok ? [] : [{ source, reason: reason ?? '' }]))
  return {
    blind,
    view: {
      data: { path, files, bytes, collectedAt: printTime(meta.collectedAt), subject: meta.subject, sources },
      sections: [
        {
          table: {
            columns: ['source', 'seen', 'from', 'to', 'remark'],
            rows: gathered(sources).map(({ source, ok, from, to, reason }) => [
              source,
              { text: ok ? 'yes' : 'no', tone: ok ? 'green' : 'yellow' },
              from,
              to,
              reason ?? '',
            ]),
          },
        },
      ],
    },
  }
}

type Row = ReturnType<typeof toRow>

/** A fleet has a log for each runner and two files for each node, so the table only counts those that were seen. */
const MANY = 10

function gathered(rows: readonly Row[]): readonly Row[] {
  const families = Map.groupBy(rows, ({ source, ok }) => (ok ? sourceFamily(source) : null))
  return rows.flatMap((row) => {
    const family = row.ok ? sourceFamily(row.source) : null
    const members = family === null ? [] : (families.get(family) ?? [])
    if (members.length <= MANY) return [row]
    return members[0] === row ? [{ ...row, source: `${family}/… (${members.length})`, from: null, reason: null }] : []
  })
}

function sourceFamily(source: string): string | null {
  return /^(?:logs|kubernetes\/stats|kubernetes\/configz)(?=\/)/.exec(source)?.[0] ?? null
}

function toRow(source: string, answer: SourceAnswer) {
  if (answer.kind !== 'looked') {
    const reason = answer.kind === 'blind' ? answer.reason : answer.why
    return { source, ok: false, from: null, to: null, reason: redact(reason) }
  }
  const { from, to, remark } = answer.coverage
  const times = { from: from === null ? null : printTime(from), to: to === null ? null : printTime(to) }
  return { source, ok: true, ...times, reason: remark === null ? null : redact(remark) }
}

function printTime(at: number): string {
  return new Date(at).toISOString()
}
