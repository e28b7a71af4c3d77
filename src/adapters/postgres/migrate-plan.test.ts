import { describe, expect, it } from 'vitest'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { parseMigration } from './migrate-folder.ts'
import { planMigrations } from './migrate-plan.ts'
import type { MigrationRecord } from './migrate-plan.ts'

const one = parseMigration('0001_one.sql', 'create table one ()')
const two = parseMigration('0002_two.sql', '--! breaking-change\ndrop table one')
const three: MigrationRecord = { number: 3, name: '0003_three.sql', sha256: 'x', breaking: false }

describe('the migrations that a database needs', () => {
  it('are those that it has not had', () => {
    expect(planMigrations([one, two], [])).toEqual({ kind: 'apply', migrations: [one, two] })
    expect(planMigrations([one, two], [one])).toEqual({ kind: 'apply', migrations: [two] })
    expect(planMigrations([one, two], [two, one])).toEqual({ kind: 'apply', migrations: [] })
  })

  it('are none for an older program that meets a newer schema it can work with', () => {
    expect(planMigrations([one, two], [one, two, three])).toEqual({ kind: 'apply', migrations: [] })
  })

  it('are refused to an older program that meets a newer schema which breaks it', () => {
    const plan = planMigrations(
      [one, two],
      [one, two, three, { ...three, number: 4, name: '0004_four.sql', breaking: true }],
    )
    expect(expectRefusal(plan).why).toContain('0004_four.sql')
  })

  it('are refused when one was changed after it was applied', () => {
    const plan = planMigrations([one, two], [{ ...one, sha256: 'former' }])
    expect(expectRefusal(plan).why).toContain('0001_one.sql was changed')
  })

  it('are refused when one would come too late', () => {
    expect(expectRefusal(planMigrations([one, two], [two])).why).toContain('0001_one')
  })
})
