import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFolder } from '#test/postgres/folders.ts'
import { migrationsFolder, parseMigration, readMigrations } from './migrate-folder.ts'

describe('a migration file', () => {
  it('breaks older programs only if its first line says so', () => {
    expect(parseMigration('0001_a.sql', '--! breaking-change\nselect 1').breaking).toBe(true)
    expect(parseMigration('0001_a.sql', '-- breaking-change\nselect 1').breaking).toBe(false)
  })

  it.each([
    ['0001_a.sql', '--! braking-change\nselect 1'],
    ['0001_a.sql', 'select 1;\n--! breaking-change'],
    ['1_a.sql', 'select 1'],
    ['0001-a.sql', 'select 1'],
  ])('is not guessed at: %s %j', (name, text) => {
    expect(() => parseMigration(name, text)).toThrow(name)
  })

  it('is the same with the line ends of another system, and another with any other change', () => {
    const { sha256 } = parseMigration('0001_a.sql', 'select 1;\nselect 2;\n')
    expect(parseMigration('0001_a.sql', 'select 1;\r\nselect 2;\r\n').sha256).toBe(sha256)
    expect(parseMigration('0001_a.sql', 'select 1;\nselect 3;\n').sha256).not.toBe(sha256)
  })
})

describe('the folder of migrations', () => {
  it('is found from the sources and from a bundle, beside package.json', async () => {
    const root = await openFolder()
    await mkdir(join(root, 'dist', 'chunks'), { recursive: true })
    await mkdir(join(root, 'migrations'))
    await writeFile(join(root, 'package.json'), '{}')
    expect(migrationsFolder(join(root, 'dist', 'chunks'))).toBe(join(root, 'migrations'))
    expect(await readMigrations(migrationsFolder())).not.toEqual([])
  })

  it('is missed loudly', async () => {
    const root = await openFolder()
    await mkdir(join(root, 'migrations'))
    expect(() => migrationsFolder(join(root, 'dist'))).toThrow('incomplete')
  })

  it.each([
    ['a gap', ['0001_a.sql', '0003_c.sql']],
    ['a number twice', ['0001_a.sql', '0001_b.sql']],
  ])('does not have %s', async (_what, names) => {
    const folder = await openFolder()
    for (const name of names) await writeFile(join(folder, name), 'select 1')
    await expect(readMigrations(folder)).rejects.toThrow('numbered')
  })
})
