import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { metaWith, signal } from '#test/contracts/bundle.ts'
import { BUNDLE_LIMITS, openBundle } from './open-bundle.ts'

describe('a folder', () => {
  let root: string
  let folder: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-folder-'))
    folder = join(root, 'bundle')
    await mkdir(join(folder, 'host/h'), { recursive: true })
    await writeFile(join(folder, 'meta.json'), metaWith({}))
    await writeFile(join(root, 'outside'), 'x')
  })
  afterEach(() => rm(root, { recursive: true }))

  const refusal = async (): Promise<string> => {
    const opening = await openBundle(folder, BUNDLE_LIMITS, signal)
    return opening.kind === 'refused' ? opening.why : 'opened'
  }

  it('is refused for a link in it, but may itself be reached by one', async () => {
    await symlink(folder, join(root, 'link'))
    expect(await openBundle(join(root, 'link'), BUNDLE_LIMITS, signal)).toMatchObject({ kind: 'opened' })
    await symlink('../../../outside', join(folder, 'host/h/df'))
    expect(await refusal()).toContain('a symbolic link: host/h/df')
  })

  it('is refused for a pipe in it, which would never end', async () => {
    await promisify(execFile)('mkfifo', [join(folder, 'host/h/df')])
    expect(await refusal()).toContain('a device: host/h/df')
  })

  it('does not follow a link that took the place of a file', async () => {
    await writeFile(join(folder, 'host/h/df'), 'x')
    const opening = await openBundle(folder, BUNDLE_LIMITS, signal)
    if (opening.kind === 'refused') throw new Error(opening.why)
    await rm(join(folder, 'host/h/df'))
    await symlink(join(root, 'outside'), join(folder, 'host/h/df'))
    const observed = await opening.bundle.hostFile('h', 'df')
    expect(observed).toMatchObject({ kind: 'blind', reason: { code: 'unreachable' } })
  })

  it('is read no further where it is stopped', async () => {
    await writeFile(join(folder, 'host/h/df'), 'x')
    const controller = new AbortController()
    const opening = await openBundle(folder, BUNDLE_LIMITS, controller.signal)
    if (opening.kind === 'refused') throw new Error(opening.why)
    controller.abort()
    const observed = await opening.bundle.hostFile('h', 'df')
    expect(observed).toMatchObject({ kind: 'blind', reason: { code: 'stopped' } })
  })
})
