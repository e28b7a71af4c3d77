import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#/adapters/clock.ts'
import { startEmbedded } from '#/adapters/postgres/embedded/start-embedded.ts'
import type { EmbeddedServer, SystemFolders } from '#/adapters/postgres/embedded/start-embedded.ts'
import { ask } from './ask.ts'

/** The program that owns an embedded server, reduced to a minimum: it prints what happens as lines of JSON. */

export type OwnerArguments = { readonly dataFolder: string; readonly systemFolders?: SystemFolders }
export type OwnerLine =
  | { readonly kind: 'notice'; readonly line: string }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string }
  | { readonly kind: 'started'; readonly connectionString: string; readonly pid: number; readonly location: string }

const SOMETHING_TO_WRITE_MS = 200

function print(line: OwnerLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** A program still writes when it gets a signal to end; a server that ended at once would make this fail. */
async function sayGoodbye(server: EmbeddedServer): Promise<void> {
  await sleep(SOMETHING_TO_WRITE_MS)
  await ask(server.connectionString, 'select 1').catch(() => {
    process.exitCode = 1
  })
  await server.stop()
}

const request = JSON.parse(process.argv[2] ?? '') as OwnerArguments
const server = await startEmbedded({
  ...request,
  clock: systemClock,
  notice: (line) => print({ kind: 'notice', line }),
  signal: AbortSignal.timeout(120_000),
  // The tests kill processes, not the machine.
  settings: { fsync: 'off' },
})
if (server.kind === 'refused') {
  print(server)
} else {
  process.once('SIGINT', () => void sayGoodbye(server))
  const { connectionString, location } = server
  print({ kind: 'started', connectionString, pid: server.pid() ?? 0, location })
}
