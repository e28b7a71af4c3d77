import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'

const { connectionString } = await testDatabase()

describe('signalbox serve with tls.names', () => {
  it(
    'listens with a certificate that it made, and has the same one after a restart',
    { timeout: 400_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'signalbox-own-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const config = join(folder, 'signalbox.yaml')
      await writeFile(
        config,
        JSON.stringify({ data: join(folder, 'data'), tls: { names: ['localhost', '127.0.0.1'] } }),
      )
      const authorities: string[] = []
      for (let starts = 0; starts < 2; starts += 1) {
        const serve = await startServe(['--listen', '127.0.0.1:0', '--config', config], connectionString)
        try {
          const ca = await readFile(join(folder, 'data', 'tls', 'ca.crt'), 'utf8')
          authorities.push(ca)
          expect(serve.url).toMatch(/^https:/)
          const [answer] = (await once(get(`${serve.url}/livez`, { ca, agent: false }), 'response')) as [
            IncomingMessage,
          ]
          answer.resume()
          expect(answer.statusCode).toBe(200)
        } finally {
          await serve.stop('SIGTERM')
        }
      }
      expect(authorities[0]).toBe(authorities[1])
    },
  )
})
