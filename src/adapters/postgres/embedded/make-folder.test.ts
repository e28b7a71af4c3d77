import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { privateFolder } from '#test/postgres/folders.ts'
import { makeFolder } from './make-folder.ts'

const readMode = async (path: string) => (await stat(path)).mode & 0o777

describe('making a folder', () => {
  it('makes those above it too, and gives the last one its mode', async () => {
    const folder = join(await privateFolder(), 'a', 'b', 'c')
    await makeFolder(folder, 0o711)
    expect(await readMode(folder)).toBe(0o711)
  })

  it('leaves one that is there as it is', async () => {
    const folder = await privateFolder()
    await makeFolder(folder, 0o711)
    expect(await readMode(folder)).toBe(0o700)
  })

  it('says that a file stands in the way', async () => {
    const file = join(await privateFolder(), 'file')
    await writeFile(file, '')
    await expect(makeFolder(file, 0o700)).rejects.toThrow('EEXIST')
    await expect(makeFolder(join(file, 'below'), 0o700)).rejects.toThrow('ENOTDIR')
  })

  it.runIf(process.platform === 'linux')('gives up where nothing can be made', async () => {
    await expect(makeFolder('/proc/signalbox/data', 0o700)).rejects.toThrow('ENOENT')
  })
})
