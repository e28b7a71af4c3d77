import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSmallFile } from './read-small-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-small-file-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('readSmallFile', () => {
  it('gives the text of a file up to the limit', async () => {
    const file = join(folder, 'text')
    await writeFile(file, 'größe')
    expect(await readSmallFile(file, 7)).toEqual({ kind: 'read', text: 'größe' })
    expect(await readSmallFile(file, 6)).toEqual({ kind: 'unreadable', why: 'is larger than 6 bytes' })
  })

  it('distinguishes a missing file from an unreadable one', async () => {
    expect(await readSmallFile(join(folder, 'none'), 9)).toEqual({ kind: 'absent' })
    expect(await readSmallFile(folder, 9)).toEqual({ kind: 'unreadable', why: 'cannot be read (EISDIR)' })
  })

  it('does not wait for somebody to write into a named pipe', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
    expect(await readSmallFile(pipe, 9)).toEqual({ kind: 'unreadable', why: 'is a named pipe, not a file' })
  })

  it('reads what a shell substitutes, and ends where a device does not', async () => {
    const program = join(folder, 'program.mjs')
    await writeFile(
      program,
      `import { readSmallFile } from ${JSON.stringify(join(import.meta.dirname, 'read-small-file.ts'))}
       console.log(JSON.stringify(await readSmallFile(process.argv[2], 9)))`,
    )
    const line = `'${process.execPath}' '${program}' <(sleep 0.2; echo text)`
    expect(execFileSync('bash', ['-c', line], { encoding: 'utf8' })).toBe('{"kind":"read","text":"text\\n"}\n')
    expect(await readSmallFile('/dev/zero', 9)).toEqual({ kind: 'unreadable', why: 'is larger than 9 bytes' })
  })
})
