import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metaWith, signal } from '#test/contracts/bundle.ts'
import { BUNDLE_LIMITS, openBundle } from './open-bundle.ts'
import { encodeTarHeader } from './tar-header.ts'

const run = promisify(execFile)

describe('an archive', () => {
  let root: string
  let count = 0
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-archive-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  /** A folder with a meta.json, changed by a script, and packed by the system's tar with the options. */
  async function pack(script: string, ...args: readonly string[]): Promise<string> {
    count += 1
    const folder = join(root, String(count))
    await mkdir(folder)
    await writeFile(join(folder, 'meta.json'), metaWith({}))
    await run('sh', ['-ec', script], { cwd: folder })
    await run('tar', ['-C', folder, '-czf', `${folder}.tar.gz`, ...args])
    return `${folder}.tar.gz`
  }

  async function save(bytes: Uint8Array): Promise<string> {
    count += 1
    const path = join(root, `${count}.tar.gz`)
    await writeFile(path, bytes)
    return path
  }

  async function refusal(path: string, limits = BUNDLE_LIMITS): Promise<string> {
    const opening = await openBundle(path, limits, signal)
    if (opening.kind === 'refused') return opening.why
    await opening.bundle[Symbol.asyncDispose]()
    return 'opened'
  }

  it.each([
    ['a symbolic link', 'ln -s /etc/passwd link', ['.']],
    ['a hard link', 'echo x >a; ln a b', ['.']],
    ['a pipe', 'mkfifo pipe', ['.']],
    ['a device', ':', ['meta.json', '-P', '/dev/null']],
    ['a sparse file', 'truncate -s 1M hole', ['-S', '--format=gnu', '.']],
    ['a sparse file', 'truncate -s 1M hole', ['-S', '--format=pax', '.']],
    ['an absolute path', 'echo x >a', ['-P', '--transform=s,^a$,/etc/a,', 'meta.json', 'a']],
    ['a path that leaves the bundle', 'echo x >a', ['-P', '--transform=s,^a$,x/../../a,', 'meta.json', 'a']],
    ['a path with a control character', 'echo x >"$(printf "a\\tb")"', ['.']],
    ['a path with a backslash', "echo x >'a\\b'", ['.']],
    ['two files of one name', 'echo x >a', ['meta.json', 'a', 'a', '--hard-dereference']],
    ['no meta.json', 'mkdir a b; mv meta.json a; echo x >b/c', ['a', 'b']],
  ])('is refused for %s', async (why, script, args) => {
    expect(await refusal(await pack(script, ...args))).toContain(why)
  })

  it.each([
    ['the top', ':', ['meta.json', 'a']],
    ['the top, with a dot', ':', ['.']],
    ['one folder', 'mkdir f; mv meta.json a f', ['f']],
    ['one folder, with what macOS adds', 'mkdir f; mv meta.json a f; echo x >._f; echo x >f/._a', ['._f', 'f']],
  ])('holds its files under %s', async (_, script, args) => {
    const opening = await openBundle(await pack(`echo x >a; ${script}`, ...args), BUNDLE_LIMITS, signal)
    if (opening.kind === 'refused') throw new Error(opening.why)
    await using bundle = opening.bundle
    expect(bundle.paths).toEqual(['a', 'meta.json'])
  })

  it.each([
    ['ustar', 'a'.repeat(90)],
    ['gnu', 'a'.repeat(200)],
    ['pax', 'ä'.repeat(100)],
  ])('has long names in the format %s', async (format, segment) => {
    const path = await pack(`mkdir -p host/h/${segment}; echo long >host/h/${segment}/df`, `--format=${format}`, '.')
    const opening = await openBundle(path, BUNDLE_LIMITS, signal)
    if (opening.kind === 'refused') throw new Error(opening.why)
    await using bundle = opening.bundle
    expect(await bundle.hostFile('h', `${segment}/df`)).toEqual({ kind: 'seen', value: 'long\n' })
  })

  it('is refused where it is cut, wherever that is', async () => {
    const whole = await readFile(await pack('seq 20000 >a', '.'))
    for (const length of [0, 1, 9, 100, whole.length >> 1, whole.length - 9, whole.length - 1]) {
      expect(await refusal(await save(whole.subarray(0, length)))).toMatch(/is cut|not gzip|no meta/)
    }
    const tar = gunzipSync(whole)
    expect(await refusal(await save(gzipSync(tar.subarray(0, 1024))))).toContain('is cut')
    expect(await refusal(await save(gzipSync(tar.subarray(0, 700))))).toContain('is cut')
  })

  it('is refused where its checksum is wrong, which is known only after the last file', async () => {
    const whole = await readFile(await pack('seq 200000 >a', '.'))
    const crc = whole.length - 8
    whole[crc] = (whole[crc] ?? 0) ^ 1
    expect(await refusal(await save(whole))).toContain('damaged')
  })

  it('is refused where it is no gzip, no tar, or has a damaged header', async () => {
    expect(await refusal(await save(Buffer.from('{"not":"an archive"}')))).toContain('not gzip')
    expect(await refusal(await save(gzipSync(Buffer.alloc(2048, 'x'))))).toContain('tar header is wrong')
    const header = encodeTarHeader({ path: 'meta.json', size: 3, mtimeMs: 0 })
    header[0] = 0x40
    expect(await refusal(await save(gzipSync(header)))).toContain('checksum')
  })

  it('is refused where it unpacks to more than allowed, before it is unpacked', async () => {
    const bomb = await pack('head -c 80000000 /dev/zero >zeros', '.')
    expect((await readFile(bomb)).length).toBeLessThan(200_000)
    expect(await refusal(bomb, { ...BUNDLE_LIMITS, totalBytes: 1_000_000 })).toContain('more than 1000000 bytes')
    expect(await refusal(bomb)).toBe('opened')
  })

  it('that is not there, or that nobody may wait for, is refused', async () => {
    expect(await refusal(join(root, 'absent.tar.gz'))).toContain('no such file')
    const path = await pack('echo x >a', '.')
    const opening = await openBundle(path, BUNDLE_LIMITS, AbortSignal.abort())
    expect(opening).toMatchObject({ kind: 'refused' })
  })
})
