import type { Manifest, Summary } from '#/adapters/postgres/backup/manifest.ts'
import type { Output } from '#/cli/output/print-output.ts'

type Shown = { readonly manifest: Manifest; readonly summary: Summary }

/** What a backup holds, and what was done with it. */
export function showBackup({ manifest, summary }: Shown, more: Readonly<Record<string, unknown>>): Output {
  const { createdAt, signalbox, postgresql, migrations } = manifest
  const schema = migrations.at(-1)?.name ?? null
  return {
    data: { ...more, createdAt, signalbox, postgresql, schema, tables: summary.tables },
    sections: [
      {
        table: {
          columns: ['table', 'rows', 'bytes'],
          rows: summary.tables.map(({ name, rows, bytes }) => [name, rows, bytes]),
        },
      },
    ],
  }
}

export function countAll({ tables }: Summary): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0)
}
