import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleFile, BundleWriting } from '#/ports/bundle.ts'
import { signal } from '#test/contracts/bundle.ts'
import { BUNDLE_LIMITS, openBundle } from './open-bundle.ts'
import { writeBundle } from './write-bundle.ts'

const run = promisify(execFile)
const META: BundleMeta = {
  collectedAt: Date.UTC(2026, 5, 6, 21, 40),
  subject: { namespace: 'runners', pod: 'runner-1', jobId: 7 },
  sources: new Map([
    ['journal', { kind: 'looked', coverage: { from: 1000, to: 2000, remark: 'as far as it goes' } }],
    ['kubernetes/audit', { kind: 'blind', reason: 'unsupported: audit logging is off' }],
  ]),
}
type PlainFile = { readonly path: string; readonly content: string | Uint8Array }
const TOKEN = `ghs_${'aB3d'.repeat(9)}`

describe.each([
  ['a folder', 'bundle'],
  ['an archive', 'bundle.tar.gz'],
])('writing %s', (_, name) => {
  let root: string
  let count = 0
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-write-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  const newTarget = async (): Promise<string> => {
    count += 1
    await mkdir(join(root, String(count)))
    return join(root, String(count), name)
  }
  const write = (target: string, files: readonly BundleFile[], limits = BUNDLE_LIMITS): Promise<BundleWriting> =>
    writeBundle(target, { files, meta: () => META }, limits, signal)
  const neighbours = (target: string): Promise<readonly string[]> => readdir(join(target, '..'))

  /** What the system's tools find in it. */
  const unpack = async (target: string): Promise<string> => {
    if ((await stat(target)).isDirectory()) return target
    const folder = `${target}.unpacked`
    await mkdir(folder)
    await run('tar', ['-C', folder, '-xzf', target])
    return folder
  }

  it('and reading it gives back any files and the meta', { timeout: 180_000 }, async () => {
    const segment = fc.stringMatching(/^[a-z0-9äöü._-]{1,60}$/).filter((text) => !/^\.{1,2}$|^\._/.test(text))
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `host/h/x${segments.join('/x')}`)
    const content = fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.string({ unit: 'binary', maxLength: 600 }))
    const files = fc.uniqueArray<PlainFile, string>(fc.record({ path, content }), {
      maxLength: 6,
      // A file cannot also be the folder of another.
      comparator: (a, b) => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`),
      selector: (file) => file.path,
    })
    await fc.assert(
      fc.asyncProperty(files, async (given) => {
        const target = await newTarget()
        expect(await write(target, given)).toMatchObject({ kind: 'written', files: given.length + 1 })
        const opening = await openBundle(target, BUNDLE_LIMITS, signal)
        if (opening.kind === 'refused') throw new Error(opening.why)
        await using bundle = opening.bundle
        expect(bundle.meta).toEqual(META)
        expect(bundle.paths).toEqual(['meta.json', ...given.map((file) => file.path)].toSorted())
        const unpacked = await unpack(target)
        for (const file of given) expect(await readFile(join(unpacked, file.path))).toEqual(Buffer.from(file.content))
      }),
      { numRuns: 40 },
    )
  })

  it('redacts every file on its way, in one piece or in many', async () => {
    const target = await newTarget()
    async function* pieces(text: string): AsyncGenerator<Uint8Array> {
      for (const letter of text) yield Buffer.from(letter)
    }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { pin: 'aHVudGVyMg==' } }
    await write(target, [
      { path: 'kubernetes/secrets.json', content: JSON.stringify({ items: [secret] }) },
      { path: 'kubernetes/audit.jsonl', content: `{"requestObject":{"token":"hunter2"}}\n{"a":1}\n` },
      { path: 'logs/a/b/c.log', content: pieces(`before\nusing ${TOKEN}\r\nafter`) },
      { path: 'processes/a/b.txt', content: Buffer.from('7 1 9 run.sh --jitconfig hunter2\n') },
    ])
    const unpacked = await unpack(target)
    const read = (path: string): Promise<string> => readFile(join(unpacked, path), 'utf8')
    expect(await read('kubernetes/secrets.json')).toMatch(
      /"pin":"sha256:f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7"/,
    )
    expect(await read('kubernetes/audit.jsonl')).toBe('{"requestObject":{"token":"‹redacted:credential›"}}\n{"a":1}\n')
    expect(await read('logs/a/b/c.log')).toBe('before\nusing ‹redacted:github-token›\r\nafter')
    expect(await read('processes/a/b.txt')).toBe('7 1 9 run.sh --jitconfig ‹redacted:jit-config›\n')
  })

  it('gives the same bytes for the same files, whatever their order', async () => {
    const files = [
      { path: 'host/h/b', content: 'b' },
      { path: 'host/h/a', content: 'a' },
    ]
    const [one, two] = [await newTarget(), await newTarget()]
    await write(one, files)
    await write(two, files.toReversed())
    const list = async (target: string): Promise<unknown> =>
      (await stat(target)).isDirectory()
        ? Promise.all(['meta.json', 'host/h/a'].map(async (path) => (await stat(join(target, path))).mtimeMs))
        : readFile(target)
    expect(await list(one)).toEqual(await list(two))
  })

  it.each([
    ['a path that leaves the bundle', [{ path: '../a', content: '' }]],
    ['an absolute path', [{ path: '/a', content: '' }]],
    [
      'two files of one name',
      [
        { path: 'a', content: '' },
        { path: 'a', content: '' },
      ],
    ],
    ['a second meta.json', [{ path: 'meta.json', content: '' }]],
    ['too many files', Array.from({ length: 9 }, (_each, index) => ({ path: `f${index}`, content: '' }))],
    ['too many bytes', [{ path: 'a', content: 'x'.repeat(9000) }]],
  ])('is refused for %s, and leaves nothing behind', async (_name, files) => {
    const target = await newTarget()
    const limits = { fileBytes: 8000, listBytes: 8000, totalBytes: 16_000, files: 8 }
    expect(await write(target, files, limits)).toMatchObject({ kind: 'refused' })
    expect(await neighbours(target)).toEqual([])
  })

  it('is stopped by the signal in the middle, and leaves nothing behind', async () => {
    const target = await newTarget()
    const controller = new AbortController()
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let index = 0; ; index += 1) {
        if (index === 20) controller.abort()
        yield Buffer.alloc(100_000, 'an ordinary line of a log\n')
      }
    }
    const draft = { files: [{ path: 'logs/a/b/c.log', content: endless() }], meta: () => META }
    expect(await writeBundle(target, draft, BUNDLE_LIMITS, controller.signal)).toEqual({ kind: 'stopped' })
    expect(await neighbours(target)).toEqual([])
  })

  it('leaves nothing behind where a source fails, and says whose fault it was', async () => {
    const target = await newTarget()
    async function* broken(): AsyncGenerator<BundleFile> {
      yield { path: 'host/h/a', content: 'a' }
      throw new TypeError('a fault of ours')
    }
    const draft = { files: broken(), meta: () => META }
    await expect(writeBundle(target, draft, BUNDLE_LIMITS, signal)).rejects.toThrow('a fault of ours')
    expect(await neighbours(target)).toEqual([])
  })

  it('is refused where the folder is not there', async () => {
    const target = join(root, 'nowhere', name)
    expect(await write(target, [])).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('no such file') as string,
    })
  })
})

describe('writing over what is there', () => {
  it('replaces an archive, and refuses a folder that holds something', async () => {
    const root = await mkdtemp(join(tmpdir(), 'signalbox-over-'))
    const draft = { files: [], meta: () => META }
    const archive = join(root, 'a.tgz')
    await writeFile(archive, 'old')
    expect(await writeBundle(archive, draft, BUNDLE_LIMITS, signal)).toMatchObject({ kind: 'written' })
    expect(await openBundle(archive, BUNDLE_LIMITS, signal)).toMatchObject({ kind: 'opened' })
    const answer = await writeBundle(root, draft, BUNDLE_LIMITS, signal)
    expect(answer).toMatchObject({ kind: 'refused', why: expect.stringContaining('not empty') as string })
    await rm(root, { recursive: true })
  })
})
