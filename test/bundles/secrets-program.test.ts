import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KNOWN_BUNDLES } from '#test/bundles/known-bundles.ts'
import { readKnownFiles } from '#test/bundles/mutate.ts'
import { plantSecrets } from '#test/bundles/secret-plant.ts'
import { SHAPES, seenIn } from '#test/bundles/secret-shapes.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'

const ARCHIVES = ['deaths/deadline-exceeded.tar.gz', 'deaths/image-pull.tar.gz']
const SECRET = SHAPES[0]?.line.split(' ')[1] ?? ''

describe('the program on a bundle full of secrets', () => {
  let root: string
  const folders: string[] = []
  const lined: string[] = []
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-secrets-'))
    for (const known of KNOWN_BUNDLES.filter(({ archive }) => ARCHIVES.some((end) => archive.endsWith(end)))) {
      let index = 0
      const next = () => SHAPES[(index += 1) % SHAPES.length] ?? { name: '', line: '', bodies: [] }
      const folder = join(root, known.name)
      for (const [path, bytes] of plantSecrets(await readKnownFiles(known), { next, cutAt: null })) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), bytes)
        if (/^(?:logs|journal)\//.test(path)) lined.push(join(folder, path))
      }
      folders.push(folder)
    }
  })
  afterAll(() => rm(root, { recursive: true }))

  const seenBy = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await runInProcess(args)
    expect({ args, isAnswered: code !== null && code <= 3, isSilent: stdout + stderr === '' }).toEqual({
      args,
      isAnswered: true,
      isSilent: false,
    })
    return [...seenIn(stdout), ...seenIn(stderr)].map(
      ([name, around]) => `${args.join(' ')}: ${name} in ${JSON.stringify(around)}`,
    )
  }

  it.each(['text', 'json', 'yaml', 'markdown'])(
    'shows none of them by why -o %s',
    { timeout: 120_000 },
    async (format) => {
      expect(folders).toHaveLength(ARCHIVES.length)
      for (const folder of folders) expect(await seenBy('why', '--bundle', folder, '-o', format, '-v')).toEqual([])
    },
  )

  it.each(['table', 'json', 'yaml', 'markdown'])(
    'shows none of them by timeline -o %s',
    { timeout: 120_000 },
    async (format) => {
      for (const folder of folders) expect(await seenBy('timeline', '--bundle', folder, '-o', format)).toEqual([])
    },
  )

  it.each(['table', 'json', 'yaml', 'markdown'])(
    'shows none of them by signatures test -o %s',
    { timeout: 240_000 },
    async (format) => {
      const logs = lined.filter((path) => path.endsWith('runner.log') || path.endsWith('.jsonl'))
      expect(logs.length).toBeGreaterThan(2)
      for (const path of logs) expect(await seenBy('signatures', 'test', path, '-o', format)).toEqual([])
    },
  )

  it('shows none when it refuses', { timeout: 120_000 }, async () => {
    const broken = join(root, 'broken')
    await mkdir(broken)
    for (const text of [
      SECRET,
      `{"subject":"${SECRET}`,
      `{"${SECRET}" 1}`,
      `{"schemaVersion":1,"collectedAt":"${SECRET}"}`,
    ]) {
      await writeFile(join(broken, 'meta.json'), text)
      expect(await seenBy('why', '--bundle', broken, '-v')).toEqual([])
    }
    expect(await seenBy('why', '--bundle', join(root, SECRET))).toEqual([])
    expect(await seenBy('why', SECRET, '--bundle', folders[0] ?? '')).toEqual([])
    expect(await seenBy('why', `--${SECRET}`)).toEqual([])
    expect(await seenBy('signatures', 'test', join(root, SECRET))).toEqual([])
  })
})
