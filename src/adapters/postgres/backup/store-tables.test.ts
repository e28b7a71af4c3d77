import { expect, it } from 'vitest'
import { migrationsFolder, readMigrations } from '#/adapters/postgres/migrate-folder.ts'
import { ask } from '#test/postgres/ask.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { storeTables } from './store-tables.ts'

const { connectionString } = await testDatabase()

it('are those that a migrated database really has, besides the list of migrations', async () => {
  const rows = await ask(
    connectionString,
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'signalbox_migrations'`,
  )
  const names = (rows as readonly { readonly name: string }[]).map(({ name }) => name)
  expect(storeTables(await readMigrations(migrationsFolder())).toSorted()).toEqual(names.toSorted())
})

it('follow a table that is renamed or dropped', () => {
  const sql = [
    'create table a (x int);\ncreate table if not exists b (\n  create_table text\n);\n-- create table d ()\n',
    'alter table a rename to c;\nalter table b rename column x to y;\n',
    'drop table if exists b;\n',
  ]
  expect(storeTables(sql.map((text) => ({ sql: text })))).toEqual(['c'])
})
