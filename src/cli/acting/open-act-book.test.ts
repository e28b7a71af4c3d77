import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { CommandFailure } from '#/cli/frame/command-failure.ts'
import { loadConfig } from '#/config/load.ts'
import { newAttempt, rowIn } from '#test/contracts/ledger-builders.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import { openActBook } from './open-act-book.ts'
import type { ActBookContext } from './open-act-book.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-act-book-'))
})
afterEach(async () => await rm(folder, { recursive: true, force: true }))

function contextWith(env: Readonly<Record<string, string>>): ActBookContext {
  const config = async () => {
    const loaded = await loadConfig({ flags: [], workingFolder: folder }, { HOME: folder, ...env })
    if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
    return loaded
  }
  return { config, clock: systemClock, signal: new AbortController().signal, terminal: {} as never }
}

const NOBODY = { SIGNALBOX_API_SERVER: 'http://127.0.0.1:1' }

describe('the book of a command that acts', () => {
  it('is nowhere without a server and without a folder: exit 3, and what to do', async () => {
    const failure = await openActBook(contextWith(NOBODY), { evidence: undefined }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ exitCode: 3 })
    expect((failure as CommandFailure).next.slice(1)).toEqual([
      'start the server: signalbox serve',
      'or use another server: --server URL (--token-file FILE, with the role operate)',
      'or keep ledger and evidence in a folder: --evidence DIR',
    ])
  })

  it('is a folder where one is given, that signalbox ledger reads', async () => {
    const evidence = join(folder, 'evidence')
    {
      await using book = await openActBook(contextWith(NOBODY), { evidence })
      expect(book.where).toBe(evidence)
      expect(book.actor).toMatch(/^user\/./)
      rowIn(await book.ledger.begin(newAttempt({ at: Date.now(), actor: book.actor })))
      await expect(openActBook(contextWith(NOBODY), { evidence })).rejects.toThrow('is using')
    }
    const { stdout, code } = await runInProcess(['ledger', '--evidence', evidence, '-o', 'json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ledger: [{ outcome: 'planned', policy: 'offline' }] }])
    const filtered = await runInProcess(['ledger', '--evidence', evidence, '--refused'])
    expect(filtered.stdout).toBe('No attempts in that time.\n')
    expect((await runInProcess(['ledger', '--evidence', join(folder, 'none')])).code).toBe(3)
  })

  it('is the server otherwise, which names who acts', async () => {
    await using server = await serveRecorded([])
    await using book = await openActBook(contextWith({ SIGNALBOX_API_SERVER: server.url }), { evidence: undefined })
    expect([book.where, book.actor]).toEqual([server.url, 'this-machine'])
    const row = rowIn(await book.ledger.begin(newAttempt({ at: Date.now(), actor: 'somebody else' })))
    expect(row.actor).toBe('this-machine')
    expect(await server.ledger.list({ limit: 10 })).toEqual([row])
  })

  it('is refused at a server that wants a token', async () => {
    const tokenFile = join(folder, 'token')
    await writeFile(tokenFile, 'x'.repeat(40))
    await using server = await serveRecorded([], { tokenFile, isClosed: true })
    const opening = openActBook(contextWith({ SIGNALBOX_API_SERVER: server.url }), { evidence: undefined })
    await expect(opening).rejects.toMatchObject({ exitCode: 3 })
  })
})
