import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import './provided.ts'
import { startSharedServer } from './shared-server.ts'
import type { SharedServer } from './shared-server.ts'

/** One PostgreSQL for the whole run, started by the first test file that needs it, so that pure tests do not wait for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let shared: Promise<SharedServer> | undefined
  const server = createServer((_request, response) => {
    shared ??= startSharedServer()
    shared.then(
      ({ connectionString, templateDatabase }) => response.end(JSON.stringify({ connectionString, templateDatabase })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('postgresUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return async () => {
    server.close()
    server.closeAllConnections()
    const started = await shared?.catch(() => undefined)
    await started?.stop()
  }
}
