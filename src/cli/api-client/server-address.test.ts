import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '#/config/load.ts'
import type { Config } from '#/config/config.ts'
import { findServerAddress, onThisMachine, tokenFor } from './server-address.ts'

describe('the URL of a server on its own machine', () => {
  it.each([
    ['http://0.0.0.0:8080', 'http://127.0.0.1:8080'],
    ['https://[::]:8443', 'https://127.0.0.1:8443'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://10.0.0.0:80', 'http://10.0.0.0:80'],
  ])('%s: %s', (listening, asked) => {
    expect(onThisMachine(listening)).toBe(asked)
  })
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-address-'))
  await writeFile(join(folder, 'configured'), 'the-token-of-the-configuration\n')
})
afterAll(() => rm(folder, { recursive: true }))

async function configOf(env: Readonly<Record<string, string>>): Promise<Config> {
  const loaded = await loadConfig({ flags: [], workingFolder: folder }, { HOME: folder, ...env })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const CONFIGURED = () => ({ SIGNALBOX_API_TOKEN_FILE: join(folder, 'configured') })
const TLS = { SIGNALBOX_TLS_CERT_FILE: '/x.crt', SIGNALBOX_TLS_KEY_FILE: '/x.key' }

async function listening(name: string): Promise<string> {
  const path = join(folder, name)
  const server = createServer().listen(path)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return path
}

describe('the server that a command asks', () => {
  it('is the one that is named, also by its socket', async () => {
    const named = await findServerAddress(await configOf({ SIGNALBOX_API_SERVER: 'https://a.example/' }))
    expect(named).toMatchObject({ url: 'https://a.example', socket: null, isOwn: false })
    const unix = await findServerAddress(await configOf({ SIGNALBOX_API_SERVER: 'unix:/run/x.sock' }))
    expect(unix).toMatchObject({ url: 'unix:/run/x.sock', socket: '/run/x.sock', isOwn: false })
  })

  it('is the one that runs here, by its socket; where none answers, the configured address', async () => {
    const path = await listening('own.sock')
    const found = await findServerAddress(await configOf({ SIGNALBOX_API_SOCKET: path }))
    expect(found).toMatchObject({ url: `unix:${path}`, socket: path, isOwn: true })
    const none = await findServerAddress(await configOf({ SIGNALBOX_API_SOCKET: join(folder, 'none.sock') }))
    expect(none).toMatchObject({ url: 'http://127.0.0.1:8080', socket: null, isOwn: true, deniedSocket: null })
  })
})

describe('the token that a command sends', () => {
  const sent = async (env: Readonly<Record<string, string>>): Promise<string | null> => {
    const config = await configOf(env)
    return tokenFor(await findServerAddress(config), config)
  }

  it('is the given one', async () => {
    const given = { SIGNALBOX_TOKEN: 'given' }
    expect(await sent({ ...given, SIGNALBOX_API_SERVER: 'https://a.example' })).toBe('given')
    expect(await sent({ ...given, ...CONFIGURED() })).toBe('given')
    await writeFile(join(folder, 'padded'), ' given \r\n')
    expect(await sent({ SIGNALBOX_TOKEN_FILE: join(folder, 'padded') })).toBe('given')
  })

  it('is the configured one for a named server, and for the own one by TLS', async () => {
    const token = 'the-token-of-the-configuration'
    expect(await sent({ ...CONFIGURED(), SIGNALBOX_API_SERVER: 'http://127.0.0.1:8080' })).toBe(token)
    expect(await sent({ ...CONFIGURED(), ...TLS })).toBe(token)
  })

  it('is none on a socket, and none on a plain port that nobody named, where any user might listen', async () => {
    expect(await sent({ ...CONFIGURED(), SIGNALBOX_API_SOCKET: await listening('socket.sock') })).toBeNull()
    expect(await sent(CONFIGURED())).toBeNull()
  })

  it('is never sent in plain text to another machine, and not if it would break the header', async () => {
    const far = { SIGNALBOX_TOKEN: 'given', SIGNALBOX_API_SERVER: 'http://signalbox.example:8080' }
    await expect(sent(far)).rejects.toThrow('not encrypted')
    await expect(sent({ SIGNALBOX_TOKEN: 'two words' })).rejects.toThrow('one word')
  })
})
