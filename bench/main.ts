import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { systemClock } from '#/adapters/clock.ts'
import { startEmbedded } from '#/adapters/postgres/embedded/start-embedded.ts'
import { audit } from './audit.ts'
import { claims } from './claims.ts'
import { dispatch } from './dispatch.ts'
import { idleAgent } from './idle-agent.ts'
import { printSection } from './measured.ts'
import type { Section } from './measured.ts'
import { redaction } from './redaction.ts'
import { scan } from './scan.ts'
import { startTimes } from './start-times.ts'
import { watch } from './watch.ts'
import { webhooks } from './webhooks.ts'
import { why } from './why.ts'

/** In the order in which they are printed. `npm run bench -- watch claims` measures two of them. */
const SECTIONS: Readonly<Record<string, (databaseUrl: string) => Promise<readonly Section[]>>> = {
  start: async () => [startTimes()],
  scan: async () => [await scan()],
  redaction: async () => [await redaction()],
  why: async () => await why(),
  audit: async () => [await audit()],
  claims: async (databaseUrl) => await claims(databaseUrl),
  dispatch: async (databaseUrl) => await dispatch(databaseUrl),
  webhooks: async (databaseUrl) => await webhooks(databaseUrl),
  watch: async (databaseUrl) => await watch(databaseUrl),
  agent: async (databaseUrl) => [await idleAgent(databaseUrl)],
}
const ON_POSTGRES: ReadonlySet<string> = new Set(['claims', 'dispatch', 'webhooks', 'watch', 'agent'])

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(SECTIONS, name))
if (unknown.length > 0) {
  console.error(`no section ${unknown.join(', ')}; sections: ${Object.keys(SECTIONS).join(', ')}`)
  process.exit(2)
}
const names = Object.keys(SECTIONS).filter((name) => asked.length === 0 || asked.includes(name))

const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

console.log(
  `node ${process.versions.node}, ${process.platform}-${process.arch}. Ratios count; absolute numbers are of this machine.`,
)
await print(
  names.filter((name) => !ON_POSTGRES.has(name)),
  '',
)
const onPostgres = names.filter((name) => ON_POSTGRES.has(name))
if (onPostgres.length > 0) await withPostgres(async (databaseUrl) => await print(onPostgres, databaseUrl))

async function print(sections: readonly string[], databaseUrl: string): Promise<void> {
  for (const name of sections) for (const section of (await SECTIONS[name]?.(databaseUrl)) ?? []) printSection(section)
}

async function withPostgres(use: (databaseUrl: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bench-'))
  chmodSync(folder, 0o755)
  const server = await startEmbedded({
    dataFolder: folder,
    clock: systemClock,
    notice: (line) => console.error(line),
    signal: stop.signal,
  })
  if (server.kind === 'refused') throw new Error(`${server.why}. ${server.next}`)
  try {
    await use(server.connectionString)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
