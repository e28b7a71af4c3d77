import { once } from 'node:events'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'

import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { certificateFiles } from '#/adapters/files/certificate-files.ts'
import { listen } from '#/server/listen.ts'
import { makeCertificate } from '#test/agent/certificate.ts'
import type { Certificate } from '#test/agent/certificate.ts'

const app = new Hono().get('/', (c) => c.text('here'))

describe('listening', () => {
  it('answers on the address that it reports, until it is closed', async () => {
    const opened = await listen(app, { host: '127.0.0.1', port: 0 })
    if (opened.kind !== 'listening') throw new Error(opened.why)
    expect(await (await fetch(opened.url)).text()).toBe('here')
    await opened.close()
    await expect(fetch(opened.url)).rejects.toThrow('fetch failed')
  })

  it('answers a load balancer that speaks HTTP/1.0 and names no host', async () => {
    const opened = await listen(app, { host: '127.0.0.1', port: 0 })
    if (opened.kind !== 'listening') throw new Error(opened.why)
    const socket = connect(Number(new URL(opened.url).port), '127.0.0.1')
    socket.end('GET / HTTP/1.0\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*here$/)
    await opened.close()
  })

  it('refuses a port that is taken, and says what to do', async () => {
    const first = await listen(app, { host: '127.0.0.1', port: 0 })
    if (first.kind !== 'listening') throw new Error(first.why)
    const port = Number(new URL(first.url).port)
    const second = await listen(app, { host: '127.0.0.1', port })
    expect(second).toMatchObject({ kind: 'refused', next: expect.stringContaining('--listen') as string })
    await first.close()
  })

  it('refuses a host that is not ours', async () => {
    expect(await listen(app, { host: '203.0.113.1', port: 0 })).toMatchObject({ kind: 'refused' })
  })
})

describe('listening with a certificate', () => {
  let folder: string
  let first: Certificate
  let second: Certificate
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-tls-'))
    first = await makeCertificate(folder, 'first')
    second = await makeCertificate(folder, 'second')
  })
  afterAll(() => rm(folder, { recursive: true }))

  const nameShown = (url: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url)
      const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      })
      socket.once('error', reject)
    })

  it('serves a new pair when the files change, and the old one while they do not fit together', async () => {
    const served = { certFile: join(folder, 'served.crt'), keyFile: join(folder, 'served.key') }
    const put = async ({ certFile, keyFile }: Certificate): Promise<void> => {
      await copyFile(certFile, served.certFile)
      await copyFile(keyFile, served.keyFile)
    }
    await put(first)
    const opened = await listen(app, { host: '127.0.0.1', port: 0 }, certificateFiles({ ...served, everyMs: 20 }))
    if (opened.kind !== 'listening') throw new Error(opened.why)
    expect(opened.url).toMatch(/^https:/)
    expect(await nameShown(opened.url)).toBe('first')
    await copyFile(second.certFile, served.certFile)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await nameShown(opened.url)).toBe('first')
    await put(second)
    await vi.waitFor(async () => expect(await nameShown(opened.url)).toBe('second'), { timeout: 60_000 })
    await opened.close()
  })

  it('refuses files that are no pair, and says which', async () => {
    const address = { host: '127.0.0.1', port: 0 }
    const mixed = { certFile: first.certFile, keyFile: second.keyFile }
    expect(await listen(app, address, certificateFiles(mixed))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('are not a certificate and its key') as string,
    })
    const absent = { ...first, keyFile: join(folder, 'absent') }
    expect(await listen(app, address, certificateFiles(absent))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('is not there') as string,
    })
    // As whoever writes it anew leaves it for a moment.
    await writeFile(join(folder, 'empty'), '')
    for (const emptied of [{ certFile: join(folder, 'empty') }, { keyFile: join(folder, 'empty') }]) {
      expect(await listen(app, address, certificateFiles({ ...first, ...emptied }))).toMatchObject({
        kind: 'refused',
        why: expect.stringContaining('is empty') as string,
      })
    }
    await writeFile(join(folder, 'text'), 'no key')
    expect(await listen(app, address, certificateFiles({ ...first, keyFile: join(folder, 'text') }))).toMatchObject({
      kind: 'refused',
    })
  })
})

/** Sends its headers drop by drop, until the server has had enough. */
async function drip(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const closed = once(socket, 'close')
  socket.on('error', () => {})
  socket.resume()
  socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n')
  const dripping = setInterval(() => socket.write('x: y\r\n'), 500)
  await closed
  clearInterval(dripping)
}

it('does not wait for long for a caller who sends its headers drop by drop', { timeout: 180_000 }, async () => {
  // Looks for those that are over their time more often than Node does by itself, which is every half minute.
  const patience = { headersTimeout: 10_000, connectionsCheckingInterval: 20_000 }
  const patient = createServer(patience).listen(0, '127.0.0.1')
  await once(patient, 'listening')
  const opened = await listen(app, { host: '127.0.0.1', port: 0 }, null)
  if (opened.kind !== 'listening') throw new Error(opened.why)
  const ours = drip(Number(new URL(opened.url).port)).then(() => 'ours')
  const theirs = drip((patient.address() as AddressInfo).port).then(() => 'theirs')
  expect(await Promise.race([ours, theirs])).toBe('ours')
  patient.close()
  patient.closeAllConnections()
  await Promise.all([ours, theirs])
  await opened.close()
})
