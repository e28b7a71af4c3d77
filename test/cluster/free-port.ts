import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the kernel's range for outgoing connections: a server that is down for a moment must find its port free again.
const FIRST_PORT = 20_000
const LAST_PORT = 32_000
const ATTEMPTS = 50

/** Different ports of the loopback interface on which nothing listens. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>()
  for (let attempt = 0; attempt < ATTEMPTS * count && found.size < count; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    if (!found.has(port) && (await isFree(port))) found.add(port)
  }
  if (found.size < count) throw new Error(`no ${count} free ports between ${FIRST_PORT} and ${LAST_PORT}`)
  return [...found]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const failed = new Promise<false>((resolve) => {
    server.once('error', () => resolve(false))
  })
  server.listen(port, '127.0.0.1')
  const free = await Promise.race([
    once(server, 'listening').then(
      () => true,
      () => false,
    ),
    failed,
  ])
  if (free) await new Promise((resolve) => server.close(resolve))
  return free
}
