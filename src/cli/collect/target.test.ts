import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decideTarget, findOccupant, replaceFolder } from '#/cli/collect/target.ts'

describe('the target of a bundle', () => {
  it.each([
    ['a.tar.gz', 'nothing', false, 'archive a.tar.gz'],
    ['a.tgz', 'nothing', false, 'archive a.tgz'],
    ['a/', 'nothing', false, 'folder a'],
    ['a', 'empty-folder', false, 'folder a'],
    ['/', 'other-folder', true, 'wrong'],
    ['a', 'nothing', false, 'wrong'],
    ['a.zip', 'nothing', false, 'wrong'],
    ['a.tar.gz/', 'nothing', false, 'wrong'],
    ['a.tar.gz', 'empty-folder', false, 'wrong'],
    ['a.tar.gz', 'file', false, 'wrong'],
    ['a.tar.gz', 'file', true, 'archive a.tar.gz'],
    ['a', 'bundle-folder', false, 'wrong'],
    ['a', 'bundle-folder', true, 'folder a'],
    ['a', 'other-folder', true, 'wrong'],
    ['a/', 'file', true, 'wrong'],
  ] as const)('%s with %s there, forced: %s: %s', (path, occupant, isForced, expected) => {
    const target = decideTarget(path, occupant, isForced)
    expect(target.kind === 'wrong' ? target.kind : `${target.kind} ${target.path}`).toBe(expected)
  })
})

describe('a path', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-target-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is checked before something is written there', async () => {
    await mkdir(join(folder, 'empty'))
    await mkdir(join(folder, 'bundle'))
    await writeFile(join(folder, 'bundle', 'meta.json'), '{}')
    const kinds = ['none', 'empty', 'bundle', '', 'bundle/meta.json'].map((name) => findOccupant(join(folder, name)))
    expect(await Promise.all(kinds)).toEqual(['nothing', 'empty-folder', 'bundle-folder', 'other-folder', 'file'])
  })

  it('keeps its bundle until the next one is complete', async () => {
    const target = join(folder, 'bundle')
    await mkdir(target)
    await writeFile(join(target, 'old'), '')
    const write = (name: string) => async (path: string) => {
      await mkdir(path)
      await writeFile(join(path, name), '')
      return name
    }
    const failing = async (): Promise<string> => 'failed'
    expect(await replaceFolder(target, failing, (name) => name !== 'failed')).toBe('failed')
    expect(await readdir(target)).toEqual(['old'])
    await replaceFolder(target, write('new'), () => true)
    expect([await readdir(target), await readdir(folder)]).toEqual([['new'], ['bundle']])
  })
})
