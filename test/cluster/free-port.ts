import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { readClusterEnvironment } from './environment.ts'

// Below the kernel's range for outgoing connections: a server that is down for a moment must find its port free again.
const FIRST_PORT = 20_000
const LAST_PORT = 32_000
/** Each test process has its own range: a port that another process found free may be about to be used. */
const SLICES = 8
const ATTEMPTS = 50
const given = new Set<number>()

/** Ports of the loopback interface on which nothing listens; each is returned once. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found: number[] = []
  const size = (LAST_PORT - FIRST_PORT) / SLICES
  const first = FIRST_PORT + (readClusterEnvironment().worker % SLICES) * size
  for (let attempt = 0; attempt < ATTEMPTS * count && found.length < count; attempt += 1) {
    const port = randomInt(first, first + size)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) found.push(port)
  }
  if (found.length < count) throw new Error(`no ${count} free ports between ${first} and ${first + size}`)
  return found
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
