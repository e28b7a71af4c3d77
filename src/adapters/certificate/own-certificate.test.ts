import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AUTHORITY_DAYS, SERVER_DAYS } from '#/core/certificate/renewal.ts'
import { keepOwnCertificate } from './own-certificate.ts'
import { ownFiles } from '#/core/certificate/own-files.ts'

const NAMES = ['signalbox.ci.svc', 'localhost', '127.0.0.1', '::1', '2001:db8::ff:1']
const NOW = Date.now()
const DAY_MS = 86_400_000

async function someFolder() {
  const parent = await mkdtemp(join(tmpdir(), 'signalbox-own-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  const folder = join(parent, 'tls')
  const files = ownFiles(folder)
  const read = async () => ({
    cert: await readFile(files.certFile, 'utf8'),
    key: await readFile(files.keyFile, 'utf8'),
    ca: await readFile(files.caFile, 'utf8'),
  })
  return { folder, files, read, keep: (now = NOW, names = NAMES) => keepOwnCertificate(folder, names, now) }
}

/** A whole handshake, with the checks of a client. */
async function shakeHands(pair: { cert: string; key: string; ca: string }, servername: string): Promise<string> {
  const server = createServer({ cert: pair.cert, key: pair.key }, (_, response) => response.end('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const host = servername === '' ? '127.0.0.1' : servername
    const lookup = (_: string, __: object, done: (error: null, found: { address: string; family: 4 }[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])
    const asked = request({ host, port, ca: pair.ca, lookup, agent: false })
    asked.end()
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream]
    response.resume()
    return 'trusted'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

describe('the certificate that a server makes itself', () => {
  it('is accepted for its names and its addresses, and for no other', async () => {
    const { keep, read } = await someFolder()
    expect((await keep()).made).toBe('authority')
    const pair = await read()
    expect(await shakeHands(pair, 'signalbox.ci.svc')).toBe('trusted')
    expect(await shakeHands(pair, '')).toBe('trusted')
    expect(await shakeHands(pair, 'other.ci.svc')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    const other = await someFolder()
    await other.keep()
    expect(await shakeHands({ ...pair, ca: (await other.read()).ca }, 'localhost')).not.toBe('trusted')
  })

  it('has the fields that verifiers look at', async () => {
    const { keep, read } = await someFolder()
    const { authorities } = await keep()
    const { cert, ca } = await read()
    const [own, authority] = [new X509Certificate(cert), new X509Certificate(ca)]
    expect(authorities).toBe(ca)
    expect([authority.ca, own.ca]).toEqual([true, false])
    expect(authority.verify(authority.publicKey) && own.verify(authority.publicKey)).toBe(true)
    expect(own.checkIssued(authority)).toBe(true)
    expect(own.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(own.subjectAltName).toBe(
      'DNS:signalbox.ci.svc, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:FF:1',
    )
    expect(Date.parse(own.validFrom)).toBeLessThanOrEqual(NOW - DAY_MS)
    expect(Math.round((Date.parse(own.validTo) - NOW) / DAY_MS)).toBe(SERVER_DAYS)
    expect(Math.round((Date.parse(authority.validTo) - NOW) / DAY_MS)).toBe(AUTHORITY_DAYS)
    expect(own.serialNumber).not.toBe(authority.serialNumber)
  })

  it('is kept, with keys that only its user can read', async () => {
    const { keep, read, files, folder } = await someFolder()
    await keep()
    const first = await read()
    expect((await keep(NOW + 200 * DAY_MS)).made).toBe('none')
    expect(await read()).toEqual(first)
    const modes = await Promise.all(
      [folder, files.keyFile, files.caKeyFile].map(async (path) => (await stat(path)).mode),
    )
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '600', '600'])
  })

  it('is renewed by the same authority before its end, and for other names', async () => {
    const { keep, read } = await someFolder()
    await keep()
    const first = await read()
    expect((await keep(NOW + 250 * DAY_MS)).made).toBe('server')
    const second = await read()
    expect([second.ca, second.cert === first.cert, second.key === first.key]).toEqual([first.ca, false, false])
    expect((await keep(NOW + 250 * DAY_MS, [...NAMES, 'more.ci.svc'])).made).toBe('server')
    expect((await keep(NOW + 250 * DAY_MS, [...NAMES, 'more.ci.svc'].toReversed())).made).toBe('none')
  })

  it('gets a new authority before the end of the old one, which stays trusted until then', async () => {
    const { keep, read } = await someFolder()
    await keep()
    const first = await read()
    const { made, authorities } = await keep(NOW + 3300 * DAY_MS)
    expect([made, authorities.startsWith(first.ca), authorities.endsWith(first.ca)]).toEqual(['authority', false, true])
    const { cert } = await read()
    expect(new X509Certificate(cert).checkIssued(new X509Certificate(authorities))).toBe(true)
    expect((await keep(NOW + 3300 * DAY_MS)).made).toBe('none')
  })

  it('is made anew where a file is cut, missing or something else', async () => {
    const { keep, read, files } = await someFolder()
    await keep()
    const whole = await read()
    const sizes = [0, 1, 30, whole.cert.length - 2, whole.cert.length - 30]
    for (const file of Object.values(files)) {
      for (const size of sizes) {
        const text = await readFile(file, 'utf8')
        await truncate(file, Math.min(size, text.length))
        await keep()
        const now = await read()
        expect(await shakeHands(now, 'localhost')).toBe('trusted')
      }
      await rm(file)
      expect((await keep()).made).not.toBe('none')
      await writeFile(file, 'not a certificate')
      expect((await keep()).made).not.toBe('none')
      expect((await keep()).made).toBe('none')
    }
  })
})
