import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KNOWN_BUNDLES } from '#test/bundles/known-bundles.ts'
import { gzipBomb, hostileArchive, packArchive } from '#test/bundles/mutate-archive.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { mutate, readKnownFiles } from '#test/bundles/mutate.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import type { Ran } from '#test/cli/run-signalbox.ts'
import { LONG_RUN, sampled } from '#test/tiers/long-run.ts'

const run = promisify(execFile)
const FORMATS = ['text', 'json', 'yaml', 'markdown'] as const
const ANSWERED = [0, 1]
const BLIND = 3
const MUTANTS = Array.from({ length: 20 }, (_, index) => index + 1)
const HOSTILE = Array.from({ length: 6 }, (_, index) => index + 1)

describe('the program on a bundle that was mutated', () => {
  let root: string
  let originals: readonly { readonly name: string; readonly files: Files }[] = []
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-mutated-'))
    const some = KNOWN_BUNDLES.filter((_, index) => index % 4 === 0)
    originals = await Promise.all(some.map(async (known) => ({ name: known.name, files: await readKnownFiles(known) })))
  })
  afterAll(() => rm(root, { recursive: true }))

  const readFiles = (seed: number): Files => originals[seed % originals.length]?.files ?? new Map()

  const writeFolder = async (name: string, files: Files): Promise<string> => {
    const folder = join(root, name)
    await mkdir(folder)
    for (const [path, bytes] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), bytes)
    }
    return folder
  }
  const writeArchive = async (name: string, bytes: Uint8Array): Promise<string> => {
    const path = join(root, `${name}.tar.gz`)
    await writeFile(path, bytes)
    return path
  }

  it.each(sampled(MUTANTS, 3))('answers or refuses in a line, seed %i', { timeout: 120_000 }, async (seed) => {
    const { files, changes } = mutate(readFiles(seed), seed)
    const path = await (seed % 2 === 0 ? writeFolder(`m${seed}`, files) : writeArchive(`m${seed}`, packArchive(files)))
    const format = FORMATS[seed % FORMATS.length] ?? 'text'
    const ran = await runInProcess(['why', '--bundle', path, '-o', format])
    expect({ changes, faults: findOutputFaults(ran) }).toEqual({ changes, faults: [] })
    if (format === 'json' && ran.code !== BLIND) expect(JSON.parse(ran.stdout)).toMatchObject({ schemaVersion: 1 })
  })

  it.each(sampled(HOSTILE, 3))('answers or refuses a hostile archive, seed %i', { timeout: 120_000 }, async (seed) => {
    const { bytes, description: changes, mustBeRefused } = hostileArchive(readFiles(seed), seed)
    const ran = await runInProcess(['why', '--bundle', await writeArchive(`h${seed}`, bytes)])
    expect({ changes, faults: findOutputFaults(ran) }).toEqual({ changes, faults: [] })
    if (mustBeRefused) expect(ran.code).toBe(BLIND)
  })

  const bomb = ['an archive that unpacks to more than two gibibytes', () => writeArchive('bomb', gzipBomb(readFiles(1), 2100))] as const

  it.each<readonly [string, () => Promise<string>]>([
    // A fast run opens one without starting the program.
    ...(LONG_RUN ? [bomb] : []),
    [
      'a folder with a link',
      async () => {
        const folder = await writeFolder('link', readFiles(1))
        await symlink('/etc/passwd', join(folder, 'host'))
        return folder
      },
    ],
    [
      'a folder with a pipe',
      async () => {
        const folder = await writeFolder('pipe', readFiles(1))
        await run('mkfifo', [join(folder, 'pipe')])
        return folder
      },
    ],
    [
      'a folder whose meta.json is a folder',
      async () => {
        const folder = await writeFolder('folder', new Map([...readFiles(1)].filter(([path]) => path !== 'meta.json')))
        await mkdir(join(folder, 'meta.json'))
        return folder
      },
    ],
    ['an empty folder', () => writeFolder('empty', new Map())],
    ['no file at all', async () => join(root, 'absent\u001b[2J\u202e')],
    [
      'a meta.json with terminal control characters',
      () => writeFolder('terminal', new Map([['meta.json', Buffer.from('\u001b[2J')]])),
    ],
  ])('refuses %s in one line', { timeout: 300_000 }, async (_name, make) => {
    const ran = await runInProcess(['why', '--bundle', await make()])
    expect({ code: ran.code, faults: findOutputFaults(ran) }).toEqual({ code: BLIND, faults: [] })
  })
})

/** Characters that move the cursor or change the text direction. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

/** An answer prints nothing to stderr; a refusal is one line, followed by what to do. */
function findOutputFaults(ran: Ran): readonly string[] {
  const { code, stdout, stderr } = ran
  const isAnswer = code !== null && ANSWERED.includes(code)
  const checks: readonly (readonly [boolean, string])[] = [
    [isAnswer || code === BLIND, `exit code ${code}: ${stderr}`],
    [isAnswer ? stdout !== '' && stderr === '' : isRefusal(ran), `on the error stream: ${JSON.stringify(stderr)}`],
    [!/\n\s+at |fault of signalbox|node:internal|Warning:/.test(stderr), `a crash: ${stderr}`],
    [!OBEYED.test(stderr + stdout), 'text with terminal control characters'],
  ]
  return checks.flatMap(([isKept, fault]) => (isKept ? [] : [fault]))
}

function isRefusal({ stdout, stderr }: Ran): boolean {
  const [first = '', ...next] = stderr.split('\n').slice(0, -1)
  return stdout === '' && /^signalbox: .{10,600}$/.test(first) && next.every((line) => /^ {2}\S/.test(line))
}
