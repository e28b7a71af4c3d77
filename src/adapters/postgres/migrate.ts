import { DatabaseError, type Pool, type PoolClient, type QueryConfig } from 'pg'
import type { Clock } from '#/ports/clock.ts'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { readMigrations } from './migrate-folder.ts'
import { planMigrations } from './migrate-plan.ts'
import type { Migration, MigrationRecord } from './migrate-plan.ts'
import { classifyFault } from '#/adapters/postgres/connection/pool-fault.ts'

/** "sgnl" in ASCII: one number for all replicas, different from the locks of other programs. */
const MIGRATION_LOCK = 0x73_67_6e_6c
const LOCK_POLL_MS = 200
/** The driver knows no "never"; a step that rewrites a large table must outlive what the pool allows a query. */
const MIGRATION_TIMEOUT_MS = 24 * 60 * 60_000

export type MigrateRequest = {
  readonly pool: Pool
  readonly folder: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The last migration to apply, for rows that were saved with an older schema; default: the newest. */
  readonly through?: number
}

export type MigrateOutcome = { readonly kind: 'migrated'; readonly applied: readonly string[] } | Refusal

/** Brings the schema up to date. Replicas that start together take turns; the second finds nothing left to do. */
export async function migrate(request: MigrateRequest): Promise<MigrateOutcome> {
  const known = (await readMigrations(request.folder)).slice(0, request.through)
  const client = await request.pool.connect()
  try {
    // A migration may take longer than a query of the program ever should.
    await client.query('set statement_timeout = 0')
    if (!(await takeTurn(client, request))) {
      return refusal('stopped while another replica was migrating the database', 'Start again.')
    }
    return await migrateAlone(client, known, request.clock)
  } catch (error) {
    if (!(error instanceof DatabaseError) || classifyFault(error) === 'unavailable') throw error
    return refusal(
      `the schema could not be brought up to date, and nothing of the failed step was kept: ${error.message}`,
      'The user of DATABASE_URL must own the database; if he does, this is a defect of signalbox: please report it.',
    )
  } finally {
    // Closing the connection gives up the lock, the setting and an open transaction, whatever a failure left.
    client.release(true)
  }
}

async function takeTurn(client: PoolClient, { clock, signal }: MigrateRequest): Promise<boolean> {
  while (!signal.aborted) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ])
    if (rows[0]?.taken === true) return true
    await clock.sleep(LOCK_POLL_MS, signal)
  }
  return false
}

async function migrateAlone(client: PoolClient, known: readonly Migration[], clock: Clock): Promise<MigrateOutcome> {
  await client.query(`
    create table if not exists signalbox_migrations (
      number integer primary key,
      name text not null,
      sha256 text not null,
      breaking boolean not null,
      applied_at bigint not null
    )`)
  const { rows } = await client.query<MigrationRecord>(
    'select number, name, sha256, breaking from signalbox_migrations',
  )
  const plan = planMigrations(known, rows)
  if (plan.kind === 'refused') return plan
  for (const migration of plan.migrations) await apply(client, migration, clock.now())
  return { kind: 'migrated', applied: plan.migrations.map((migration) => migration.name) }
}

async function apply(client: PoolClient, migration: Migration, now: number): Promise<void> {
  const step: QueryConfig & { readonly query_timeout: number } = {
    text: migration.sql,
    query_timeout: MIGRATION_TIMEOUT_MS,
  }
  await client.query('begin')
  await client.query(step)
  await client.query(
    'insert into signalbox_migrations (number, name, sha256, breaking, applied_at) values ($1, $2, $3, $4, $5)',
    [migration.number, migration.name, migration.sha256, migration.breaking, now],
  )
  await client.query('commit')
}
