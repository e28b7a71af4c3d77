import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'

export type Migration = MigrationRecord & { readonly sql: string }

/** What the database remembers of a migration. */
export type MigrationRecord = {
  readonly number: number
  readonly name: string
  readonly sha256: string
  readonly breaking: boolean
}

export type MigrationPlan = { readonly kind: 'apply'; readonly migrations: readonly Migration[] } | Refusal

/** Which migrations a database still needs, or why this program must not touch it. */
export function planMigrations(known: readonly Migration[], applied: readonly MigrationRecord[]): MigrationPlan {
  const appliedByNumber = new Map(applied.map((record) => [record.number, record]))
  const newestKnown = known.at(-1)?.number ?? 0
  const newestApplied = applied.reduce((newest, record) => Math.max(newest, record.number), 0)

  const breaking = applied.find((record) => record.number > newestKnown && record.breaking)
  if (breaking) {
    return refusal(
      `the database was migrated by a newer signalbox (${breaking.name}), and this version cannot work with that schema`,
      'Start a signalbox that is at least as new as the one that migrated it, or give this one another database.',
    )
  }
  const changed = known.find((migration) => {
    const record = appliedByNumber.get(migration.number)
    return record !== undefined && record.sha256 !== migration.sha256
  })
  if (changed) {
    return refusal(
      `migration ${changed.name} was changed after this database had applied it as ${appliedByNumber.get(changed.number)?.name}`,
      'Restore the file as it was released and put the change into a new migration.',
    )
  }
  const missing = known.filter((migration) => !appliedByNumber.has(migration.number))
  const late = missing.find((migration) => migration.number < newestApplied)
  if (late) {
    return refusal(
      `migration ${late.name} was never applied, but later ones were`,
      'Number it after the newest migration of this database.',
    )
  }
  return { kind: 'apply', migrations: missing }
}
