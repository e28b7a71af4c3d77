import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFolder } from '#test/postgres/folders.ts'
import { lockFolder } from './folder-lock.ts'

const HOLDER = `
  import { lockFolder } from ${JSON.stringify(import.meta.resolve('./folder-lock.ts'))}
  console.log(lockFolder(process.argv[1]).kind)
  setInterval(() => undefined, 1000)`

describe('the lock of a folder', () => {
  it('has one holder at a time, and names its process id', async () => {
    const folder = await openFolder()
    const first = lockFolder(folder)
    expect(lockFolder(folder)).toEqual({ kind: 'held', pid: process.pid })
    if (first.kind === 'locked') first.release()
    const second = lockFolder(folder)
    expect(second.kind).toBe('locked')
    if (second.kind === 'locked') second.release()
  })

  it('is free at once when its holder is killed, whoever has the number of that process now', async () => {
    const folder = await openFolder()
    const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, folder])
    const [line] = (await once(holder.stdout, 'data')) as [Buffer]
    expect(line.toString().trim()).toBe('locked')
    expect(lockFolder(folder)).toEqual({ kind: 'held', pid: holder.pid })
    const exited = once(holder, 'exit')
    holder.kill('SIGKILL')
    await exited
    await writeFile(join(folder, 'lock.pid'), `${process.ppid}\n`)
    const lock = lockFolder(folder)
    expect(lock.kind).toBe('locked')
    if (lock.kind === 'locked') lock.release()
  })

  it('says what is wrong when the folder cannot be locked at all', () => {
    const lock = lockFolder('/nonexistent/folder')
    expect(lock.kind === 'failed' && lock.detail).toContain('no such file or directory')
  })
})
