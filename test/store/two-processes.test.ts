import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '#test/postgres/test-database.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { openPostgresStore } from './open-postgres-store.ts'
import { seed } from './seed.ts'

const JOBS = LONG_RUN ? 4000 : 600

const { connectionString } = await testDatabase()
const opened = openPostgresStore(connectionString)
afterAll(opened.close)

it(
  'two processes that offer the same slots for the same jobs never get a claim twice',
  { timeout: 300_000 },
  async () => {
    await seed(opened.store, JOBS)
    const processes = [startClaimer(), startClaimer()]
    await Promise.all(processes.map(async ({ ready }) => await ready))
    for (const { go } of processes) go()
    await Promise.all(processes.map(async ({ begun }) => await begun))
    for (const { go } of processes) go()
    const results = await Promise.all(processes.map(async ({ claims }) => await claims))
    // Both took part.
    expect(Math.min(...results.map(({ length }) => length))).toBeGreaterThan(0)
    const claims = results.flat()
    expect(claims).toHaveLength(JOBS)
    expect(new Set(claims.map(({ job }) => job)).size).toBe(JOBS)
    expect(new Set(claims.map(({ slot }) => slot)).size).toBe(JOBS)
  },
)

type Claim = { readonly job: number; readonly slot: string }

type Claimer = {
  readonly ready: Promise<void>
  /** It has its first claims, and waits for the other. */
  readonly begun: Promise<void>
  readonly go: () => void
  /** The claims that the process printed. */
  readonly claims: Promise<readonly Claim[]>
}

function startClaimer(): Claimer {
  const script = join(import.meta.dirname, 'claimer-process.ts')
  const options = ['--url', connectionString, '--slots', String(JOBS)]
  const child = spawn(process.execPath, [script, ...options], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const ready = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const claims: Claim[] = []
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    const [job, slot] = line.split(' ')
    if (line === 'ready') ready.resolve()
    else if (line === 'begun') begun.resolve()
    else claims.push({ job: Number(job), slot: slot ?? '' })
  })
  const finished = Promise.all([exited, once(lines, 'close')]).then(([[status]]) => {
    if (status !== 0) throw new Error(`the claimer ended with status ${status}`)
    return claims
  })
  const tooEarly = (): void => begun.reject(new Error('the claimer ended without a claim'))
  finished.then(tooEarly, (error: unknown) => {
    ready.reject(error)
    begun.reject(error)
  })
  return { ready: ready.promise, begun: begun.promise, go: () => child.stdin.write('go\n'), claims: finished }
}
