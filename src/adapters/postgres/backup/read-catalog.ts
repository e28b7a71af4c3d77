import type { Client } from 'pg'
import { BackupRefusal } from './backup-refusal.ts'
import type { BackupTable, SequenceState } from './manifest.ts'

/** A stored generated column is computed again when its row is loaded. */
const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = to_regnamespace(current_schema()) and c.relkind = 'r' and c.relname = any ($1)
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by c.relname, a.attnum`

const REFERENCES = `
  select r.relname as table, t.relname as needs
  from pg_constraint k
  join pg_class r on r.oid = k.conrelid
  join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and k.conrelid <> k.confrelid
    and r.relnamespace = to_regnamespace(current_schema()) and r.relname = any ($1) and t.relname = any ($1)`

const SEQUENCES = `
  select s.relname as name
  from pg_class s
  join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid
    and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
  join pg_class t on t.oid = d.refobjid
  where s.relkind = 'S' and t.relnamespace = to_regnamespace(current_schema()) and t.relname = any ($1)
  order by s.relname`

type ColumnRow = { readonly table: string; readonly name: string; readonly type: string }
type ReferenceRow = { readonly table: string; readonly needs: string }

/** These tables as the database has them, in an order in which a row never comes before the row that it refers to. */
export async function readTables(client: Client, names: readonly string[]): Promise<readonly BackupTable[]> {
  const columns = Map.groupBy((await client.query<ColumnRow>(COLUMNS, [names])).rows, (row) => row.table)
  const missing = names.find((name) => !columns.has(name))
  if (missing !== undefined) {
    throw new BackupRefusal(
      `the table ${missing} of the store is gone`,
      'Somebody changed the schema by hand. Bring the table back, or back up with pg_dump.',
    )
  }
  const references = (await client.query<ReferenceRow>(REFERENCES, [names])).rows
  return inLoadOrder(names, references).map((name) => ({
    name,
    columns: (columns.get(name) ?? []).map((column) => ({ name: column.name, type: column.type })),
  }))
}

export function inLoadOrder(names: readonly string[], references: readonly ReferenceRow[]): readonly string[] {
  const ordered: string[] = []
  let waiting = names.toSorted()
  while (waiting.length > 0) {
    const isFree = (name: string) => !references.some(({ table, needs }) => table === name && waiting.includes(needs))
    const free = waiting.filter(isFree)
    // Tables that refer to each other in a circle have no order; the load then says which reference failed.
    if (free.length === 0) return [...ordered, ...waiting]
    ordered.push(...free)
    waiting = waiting.filter((name) => !free.includes(name))
  }
  return ordered
}

/** Read after the rows: numbers that were given out meanwhile are then only skipped, never given out twice. */
export async function readSequences(client: Client, tables: readonly string[]): Promise<readonly SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(SEQUENCES, [tables])
  const states: SequenceState[] = []
  for (const { name } of rows) {
    const state = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${client.escapeIdentifier(name)}`,
    )
    states.push({ name, value: state.rows[0]?.value ?? '1', called: state.rows[0]?.called ?? false })
  }
  return states
}
