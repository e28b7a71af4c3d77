import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'

import { listen } from '#/server/listen.ts'

const app = new Hono().get('/', (c) => c.text('here'))

describe('listening', () => {
  it('answers on the address that it tells, until it is closed', async () => {
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
