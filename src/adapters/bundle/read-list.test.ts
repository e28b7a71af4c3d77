import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Bundle, BundleLimits } from '#/ports/bundle.ts'
import { signal } from '#test/contracts/bundle.ts'
import { BUNDLE_LIMITS, openBundle } from './open-bundle.ts'
import { packFolder } from './pack-folder.ts'

const PODS = 2_000
const META = JSON.stringify({ schemaVersion: 1, collectedAt: '2026-06-06T21:40:00Z', sources: {} })
const FILES = ['meta.json', 'kubernetes/pods.json']

/** About ten kilobytes each, so that the list is read piece by piece. */
const pods = Array.from({ length: PODS }, (_, index) => ({
  kind: 'Pod',
  metadata: { name: `pod-${index}`, annotations: { note: `ä"}],{[\\${'x'.repeat(9_000)}` } },
  spec: { containers: [{ name: 'a', env: [] }] },
}))
const list = { apiVersion: 'v1', items: pods, kind: 'List', metadata: { resourceVersion: '' } }

describe.each([
  ['a folder', false],
  ['an archive', true],
])('a list of many megabytes in %s', (_, isPacked) => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-lists-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  const open = async (name: string, text: string, limits: BundleLimits = BUNDLE_LIMITS): Promise<Bundle> => {
    const folder = join(root, name)
    await mkdir(join(folder, 'kubernetes'), { recursive: true })
    await writeFile(join(folder, 'meta.json'), META)
    await writeFile(join(folder, 'kubernetes/pods.json'), text)
    const sized = [META, text].map((content, index) => ({
      path: FILES[index] ?? '',
      size: Buffer.byteLength(content),
      mtimeMs: 0,
    }))
    if (isPacked) await packFolder(folder, `${folder}.tar.gz`, sized, signal)
    const opening = await openBundle(isPacked ? `${folder}.tar.gz` : folder, limits, signal)
    if (opening.kind === 'refused') throw new Error(opening.why)
    return opening.bundle
  }

  it.each([
    ['as kubectl prints it', JSON.stringify(list, null, 4)],
    ['on one line', JSON.stringify(list)],
  ])('is read whole, %s', async (how, text) => {
    await using bundle = await open(how, text)
    const read = await bundle.list('pods')
    expect(read.kind === 'seen' && read.value.length).toBe(PODS)
    expect(read).toEqual({ kind: 'seen', value: pods })
  })

  it('that is cut is blind, with the name of the file', async () => {
    const text = JSON.stringify(list, null, 4)
    await using bundle = await open('cut', text.slice(0, -1000))
    expect(await bundle.list('pods')).toEqual({
      kind: 'blind',
      reason: { code: 'malformed', detail: 'kubernetes/pods.json: it ends in the middle of its items' },
    })
  })

  it.each([
    ['that has an item without a name', { ...list, items: [...pods, { kind: 'Pod' }] }, 'malformed', 'no name'],
    ['that goes on', { ...list, metadata: { continue: 'x' } }, 'truncated', 'pages are missing'],
  ])('%s is blind', async (name, document, code, detail) => {
    await using bundle = await open(name, JSON.stringify(document))
    expect(await bundle.list('pods')).toMatchObject({
      kind: 'blind',
      reason: { code, detail: expect.stringContaining(detail) as string },
    })
  })

  it('may be larger than other files, up to a limit of its own', async () => {
    const text = JSON.stringify(list)
    await using taken = await open('small', text, { ...BUNDLE_LIMITS, fileBytes: 1_000_000 })
    expect((await taken.list('pods')).kind).toBe('seen')
    await using refused = await open('large', text, { ...BUNDLE_LIMITS, listBytes: 17_000_000 })
    expect(await refused.list('pods')).toMatchObject({ kind: 'blind', reason: { code: 'too-large' } })
  })
})
