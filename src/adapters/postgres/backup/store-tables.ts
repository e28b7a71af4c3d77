import type { Migration } from '#/adapters/postgres/migrate-plan.ts'

const STEPS = [
  {
    pattern: /^create table (?:if not exists )?(\w+)/u,
    change: (tables: Set<string>, name: string) => tables.add(name),
  },
  { pattern: /^drop table (?:if exists )?(\w+)/u, change: (tables: Set<string>, name: string) => tables.delete(name) },
  {
    pattern: /^alter table (\w+)\s+rename to (\w+)/u,
    change: (tables: Set<string>, name: string, newName: string) => {
      tables.delete(name)
      tables.add(newName)
    },
  },
] as const

/**
 * The tables that these migrations leave. Not from the database's catalog: another program may keep its tables in the same
 * database, and they are none of ours.
 */
export function storeTables(migrations: readonly Pick<Migration, 'sql'>[]): readonly string[] {
  const tables = new Set<string>()
  for (const { sql } of migrations) {
    for (const statement of sql.split(/^(?=[a-z])/mu)) {
      for (const { pattern, change } of STEPS) {
        const [found, name, newName] = pattern.exec(statement) ?? []
        if (found !== undefined && name !== undefined) change(tables, name, newName ?? '')
      }
    }
  }
  return [...tables]
}
