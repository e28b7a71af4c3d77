import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { systemClock } from '#/adapters/clock.ts'
import { startEmbedded } from '#/adapters/postgres/embedded/start-embedded.ts'
import { audit } from './audit.ts'
import { claims } from './claims.ts'
import { idleAgent } from './idle-agent.ts'
import { printSection } from './measured.ts'
import { scan } from './scan.ts'
import { startTimes } from './start-times.ts'
import { watch } from './watch.ts'
import { why } from './why.ts'

const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

console.log(
  `node ${process.versions.node}, ${process.platform}-${process.arch}. Ratios count; absolute numbers are of this machine.`,
)
printSection(startTimes())
printSection(await scan())
for (const section of await why()) printSection(section)
printSection(await audit())

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
  for (const section of await claims(server.connectionString)) printSection(section)
  for (const section of await watch(server.connectionString)) printSection(section)
  printSection(await idleAgent(server.connectionString))
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
