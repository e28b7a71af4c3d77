import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { disownPid, parsePostmasterFile, readPostmasterFile } from './postmaster-file.ts'

const READY = '4711\n/data\n1794693771\n25563\n\n127.0.0.1\n   262145         7\nready   \n'

describe('the note of a PostgreSQL server', () => {
  it('names the process and says whether it is ready', () => {
    expect(parsePostmasterFile(READY)).toMatchObject({ pid: 4711, ready: true })
    expect(parsePostmasterFile(READY.replace('ready   ', 'starting'))).toMatchObject({ pid: 4711, ready: false })
    expect(parsePostmasterFile('4711\n/data\n')).toMatchObject({ pid: 4711, ready: false })
  })

  it.each(['', '\n', 'x\n', '-4711\n/data\n', '0\n'])('says nothing when it names no server: %j', (text) => {
    expect(parsePostmasterFile(text)).toBeNull()
  })

  it('keeps all but the process when that is disowned', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-note-'))
    onTestFinished(async () => await rm(folder, { recursive: true }))
    expect(await readPostmasterFile(folder)).toBeNull()
    await writeFile(join(folder, 'postmaster.pid'), READY)
    const file = await readPostmasterFile(folder)
    await disownPid(folder, file!)
    const after = await readFile(join(folder, 'postmaster.pid'), 'utf8')
    expect(after.split('\n').slice(1)).toEqual(READY.split('\n').slice(1))
    expect(() => process.kill(parsePostmasterFile(after)!.pid, 0)).toThrow('ESRCH')
  })
})
