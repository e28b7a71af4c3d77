import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ledger } from '#/ports/store/ledger.ts'
import { begun, endAs, newAttempt, rowIn, runnerNamed, takeStep } from '#test/contracts/ledger-builders.ts'
import { ledgerContract } from '#test/contracts/store-ledger.ts'
import { openFolderLedger, readFolderLedger } from './folder-ledger.ts'
import type { FolderLedger } from './folder-ledger.ts'

let folder: string
let opened: FolderLedger | null = null
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-act-folder-'))
})
afterEach(async () => {
  await close()
  await rm(folder, { recursive: true, force: true })
})

async function reopen(): Promise<Ledger> {
  await close()
  const opening = await openFolderLedger(folder)
  if (opening.kind !== 'opened') throw new Error(JSON.stringify(opening))
  opened = opening.opened
  return opened.ledger
}

async function close(): Promise<void> {
  await opened?.[Symbol.asyncDispose]()
  opened = null
}

const journal = (): string => join(folder, 'ledger.jsonl')

describe('The ledger contract: a folder', () => {
  let ledger: Ledger
  beforeEach(async () => {
    ledger = await reopen()
  })
  ledgerContract(() => ({ ledger }))

  it('decides one after the other: of twenty at once with a cap of five, five are planned', async () => {
    const cap = { run: 5, set: null }
    const names = Array.from({ length: 20 }, (_, index) => `r${index}`)
    const answers = await Promise.all(
      names.map((name) => ledger.begin(newAttempt({ subject: runnerNamed(name), cap }))),
    )
    expect(answers.filter(({ kind }) => kind === 'planned')).toHaveLength(5)
    expect(answers.filter(({ kind }) => kind === 'refused')).toHaveLength(15)
  })
})

describe('a ledger in a folder', () => {
  it('has every row again when it is opened again, and goes on with the ids', async () => {
    const first = await begun({ ledger: await reopen() })
    const line = '\u2028 and \r are no ends of a line'
    const text = takeStep('deleting', { gates: [{ gate: 'g', holds: null, why: line, ageSeconds: 0 }] })
    const stepped = rowIn(await (await reopen()).advance(first, text))
    const ledger = await reopen()
    expect(await ledger.list({ limit: 10 })).toEqual([stepped])
    expect(await begun({ ledger }, { subject: runnerNamed('b') })).toMatchObject({ id: first.id + 1 })
    const ended = rowIn(await ledger.end(stepped, endAs('done')))
    expect(await (await reopen()).begin(newAttempt())).toEqual({ kind: 'taken', row: ended })
  })

  it('has all writes but the last after a crash at any byte of the last, and can be written to', async () => {
    const first = await begun({ ledger: await reopen() })
    const before = (await readFile(journal())).length
    await (await reopen()).advance(first, takeStep('deleting'))
    await close()
    const whole = await readFile(journal())
    for (let bytes = before; bytes < whole.length; bytes += 1) {
      await writeFile(journal(), whole.subarray(0, bytes))
      const ledger = await reopen()
      expect(await ledger.list({ limit: 10 }), `cut at byte ${bytes}`).toEqual([first])
      rowIn(await ledger.advance(first, takeStep('again')))
      const [row] = await (await reopen()).list({ limit: 10 })
      expect(row?.steps.map(({ step }) => step)).toEqual(['planned', 'again'])
      await close()
    }
  })

  it('leaves out a last line whose blocks did not all reach the disk', async () => {
    const first = await begun({ ledger: await reopen() })
    await close()
    await appendFile(journal(), `${'\0'.repeat(512)}"}\n`)
    expect(await (await reopen()).list({ limit: 10 })).toEqual([first])
  })

  it.each([
    ['a line in the middle that is damaged', (lines: string[]) => lines.with(0, '{"half')],
    ['a line of another version', (lines: string[]) => [...lines, '{"schemaVersion":2}']],
    ['a row that is none', (lines: string[]) => [...lines, '{"schemaVersion":1,"id":5}']],
    ['a row that was changed after its end', (lines: string[]) => [...lines, lines.at(-1) ?? '']],
  ])('refuses %s, because then nobody knows what was done', async (_what, change) => {
    const ledger = await reopen()
    const row = await begun({ ledger })
    await ledger.end(row, endAs('done'))
    await close()
    const lines = (await readFile(journal(), 'utf8')).trimEnd().split('\n')
    await writeFile(journal(), `${change(lines).join('\n')}\n`)
    const opening = await openFolderLedger(folder)
    expect(opening.kind === 'refused' && opening.why).toContain('line')
    expect(await readFolderLedger(folder)).toMatchObject({ kind: 'unreadable' })
  })

  it('has one process at a time, and can be read meanwhile', async () => {
    const row = await begun({ ledger: await reopen() })
    expect(await openFolderLedger(folder)).toEqual({ kind: 'held', pid: process.pid })
    const reading = await readFolderLedger(folder)
    expect(reading.kind === 'read' && (await reading.list({ limit: 10 }))).toEqual([row])
  })

  it('writes nothing more after a write that failed', async () => {
    const ledger = await reopen()
    const row = await begun({ ledger })
    await opened?.[Symbol.asyncDispose]()
    opened = null
    await expect(ledger.advance(row, takeStep('x'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(ledger.begin(newAttempt({ subject: runnerNamed('b') }))).rejects.toThrow('cannot be written')
    expect(await (await reopen()).list({ limit: 10 })).toEqual([row])
  })

  it('says why where the folder cannot be made', async () => {
    await writeFile(join(folder, 'file'), '')
    expect(await openFolderLedger(join(folder, 'file', 'below'))).toMatchObject({ kind: 'refused' })
  })
})

const WRITER = `
  import { openFolderLedger } from ${JSON.stringify(import.meta.resolve('./folder-ledger.ts'))}
  const opening = await openFolderLedger(process.argv[1])
  const attempt = JSON.parse(process.argv[2])
  const { row } = await opening.opened.ledger.begin(attempt)
  console.log(row.id)
  setInterval(() => undefined, 1000)`

describe('a process that is killed with -9', () => {
  it('leaves the attempt that it began, and no lock', async () => {
    const attempt = newAttempt({ run: 'killed' })
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, folder, JSON.stringify(attempt)])
    // It has the id only when the row is on disk.
    const [line] = (await once(writer.stdout, 'data')) as [Buffer]
    expect(line.toString().trim()).toBe('1')
    expect(await openFolderLedger(folder)).toEqual({ kind: 'held', pid: writer.pid })
    const exited = once(writer, 'exit')
    writer.kill('SIGKILL')
    await exited
    expect(await (await reopen()).begin(newAttempt({ run: 'next' }))).toMatchObject({
      kind: 'taken',
      row: { id: 1, run: 'killed', outcome: 'planned' },
    })
  })
})

describe('The numbers of a folder', () => {
  it('are not used again where evidence has them: it would pass for the evidence of another attempt', async () => {
    await writeFile(join(folder, 'attempt-7.tar.gz'), 'of a journal that was moved away')
    const ledger = await reopen()
    expect(rowIn(await ledger.begin(newAttempt())).id).toBe(8)
  })
})
