import { describe, expect, it } from 'vitest'
import { announce, chooseNotice } from './announce.ts'
import type { Announcement } from './announce.ts'

const STARTED = {
  version: '1.2.3',
  where: 'embedded',
  url: 'http://127.0.0.1:8080',
  readableBy: 'this machine',
  command: 'signalbox',
  watches: null,
  socket: null,
}

function collectOutput(format: 'json' | 'text', changes: Partial<Announcement> = {}) {
  const noticed: string[] = []
  const logged: unknown[] = []
  const terminal = { notice: (text: string) => void noticed.push(text) }
  const log = { info: (message: string, fields?: object) => void logged.push({ message, ...fields }) }
  announce({ ...STARTED, ...changes }, { terminal, log, format })
  chooseNotice(terminal, { format }, log)('Stopping…')
  return { noticed, logged }
}

describe('the start message of serve', () => {
  it('is one log line, and no text, when the log is JSON', () => {
    const { noticed, logged } = collectOutput('json')
    expect(noticed).toEqual([])
    expect(logged).toEqual([
      {
        message: 'started',
        version: '1.2.3',
        database: 'embedded',
        listening: 'http://127.0.0.1:8080',
        watching: expect.stringContaining('nothing') as string,
        api: 'readable by this machine',
      },
      { message: 'Stopping…' },
    ])
  })

  it('names a command that needs no token: by the socket, or where there is none by the address', () => {
    const watches = 'pods'
    expect(collectOutput('text', { watches, socket: '/data/api.sock' }).noticed).toContain(
      '  signalbox deaths --server unix:/data/api.sock',
    )
    expect(collectOutput('text', { watches }).noticed).toContain('  signalbox deaths --server http://127.0.0.1:8080')
  })

  it('is text otherwise', () => {
    const { noticed, logged } = collectOutput('text')
    expect(logged).toEqual([])
    expect(noticed.slice(0, 3)).toEqual([
      'Signalbox 1.2.3',
      '  database   embedded',
      '  listening  http://127.0.0.1:8080',
    ])
    expect(noticed.slice(-2)).toEqual(['Ctrl-C stops it.', 'Stopping…'])
  })
})
