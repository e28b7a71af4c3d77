import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { openFolder } from '#test/postgres/folders.ts'
import type { Binaries } from './binaries.ts'
import { locatePackage } from './binaries.ts'
import { chooseBinaries, pickBinaries } from './choose-binaries.ts'
import type { BinariesSource } from './choose-binaries.ts'
import { systemInstallations } from './system-binaries.ts'

const packaged = await locatePackage()
const native = packaged?.folder ?? ''

const choose = async (source: BinariesSource, pgdata = '/nonexistent') =>
  await chooseBinaries({
    source,
    searchPath: '',
    pgdata,
    packaged,
    account: { kind: 'self' },
    copyInto: [],
    notice: () => undefined,
    signal: AbortSignal.timeout(60_000),
  })

function version(major: number): Binaries {
  return { kind: 'found', folder: `/${major}`, version: `${major}.1`, major }
}

describe('the PostgreSQL that is run', { timeout: 120_000 }, () => {
  it('is the newest that is new enough, or the one that made the data', () => {
    const found = [version(15), version(17), version(14), version(16)]
    expect(pickBinaries(found, null)?.major).toBe(17)
    expect(pickBinaries(found, 16)?.major).toBe(16)
    expect(pickBinaries([version(14)], null)).toBeNull()
    expect(pickBinaries([], 17)).toBeNull()
  })

  it('is in the folder that was named, or in the one above', async () => {
    expect(await choose(`${native}/bin` as BinariesSource)).toMatchObject({ kind: 'found', folder: native })
    expect(await choose(native as BinariesSource)).toMatchObject({ kind: 'found', folder: native })
  })

  it('is refused with what to do when there is none', async () => {
    const folder = await openFolder()
    const refused = expectRefusal(await choose(folder as BinariesSource))
    expect(refused.why).toContain(`${folder} has no PostgreSQL server that runs here`)
    await writeFile(join(folder, 'PG_VERSION'), '17\n')
    expect(expectRefusal(await choose(join(folder, 'bin') as BinariesSource, folder)).why).toContain('asks for 17')
  })

  it('of the machine is found behind the links of the PATH, where both programs are there', async () => {
    const folder = await openFolder()
    await mkdir(join(folder, 'half', 'bin'), { recursive: true })
    await writeFile(join(folder, 'half', 'bin', 'postgres'), '')
    await symlink(join(native, 'bin', 'postgres'), join(folder, 'postgres'))
    const found = await systemInstallations(`${folder}:relative:${join(folder, 'half', 'bin')}:/nonexistent`)
    expect(found).toContain(native)
    expect(found).not.toContain(join(folder, 'half'))
  })
})
