import { z } from 'zod'

/** Raised when an older signalbox could not read a backup correctly. */
export const FORMAT_VERSION = 1

const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/u)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/u)
const count = z.int().nonnegative()

const migration = z.strictObject({ number: z.int().positive(), name: z.string(), sha256, breaking: z.boolean() })
const column = z.strictObject({ name, type: z.string() })
const table = z.strictObject({ name, columns: z.array(column).min(1) })

/** The first file of a backup: what is needed to make room for the rows. Tables are in the order in which they can be loaded. */
export const manifestSchema = z.strictObject({
  format: z.literal('signalbox-backup'),
  version: z.literal(FORMAT_VERSION),
  signalbox: z.string(),
  postgresql: z.string(),
  createdAt: z.iso.datetime(),
  migrations: z.array(migration).min(1),
  tables: z.array(table),
})
export type Manifest = z.output<typeof manifestSchema>
export type BackupTable = z.output<typeof table>

const content = z.strictObject({ name, rows: count, bytes: count, sha256 })
const sequence = z.strictObject({ name, value: z.string().regex(/^-?\d{1,19}$/u), called: z.boolean() })

/** The last file of a backup: without it the backup is not complete. */
export const summarySchema = z.strictObject({
  manifest: sha256,
  tables: z.array(content),
  sequences: z.array(sequence),
})
export type Summary = z.output<typeof summarySchema>
export type TableContent = z.output<typeof content>
export type SequenceState = z.output<typeof sequence>

export const MANIFEST_FILE = 'manifest.json'
export const SUMMARY_FILE = 'summary.json'

/** `tables/deaths/000001.copy`: one after another they are what `copy deaths from stdin` reads. */
export function partFile(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.copy`
}
