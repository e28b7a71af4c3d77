import { hostname } from 'node:os'

import { createLog } from '#/adapters/log/create-log.ts'
import { openDatabase } from '#/adapters/postgres/database.ts'
import type { Database } from '#/adapters/postgres/database.ts'
import { postgresLeadership } from '#/adapters/postgres/leader.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import { CommandFailure } from '#/cli/command-failure.ts'
import type { serveFlags } from '#/cli/commands/serve.ts'
import type { CommandContext } from '#/cli/context.ts'
import { EXIT } from '#/cli/exit-code.ts'
import type { ExitCode } from '#/cli/exit-code.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import { ownCommand, ownPackage } from '#/cli/own-package.ts'
import { redact } from '#/cli/redact.ts'
import type { Config } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { lead } from '#/runtime/lead.ts'
import { createMetrics } from '#/runtime/metrics.ts'
import { retentionDuty } from '#/runtime/retention.ts'
import { createApp } from '#/server/app.ts'
import type { ReadinessCheck } from '#/server/app.ts'
import { listen } from '#/server/listen.ts'

export async function run(context: CommandContext<typeof serveFlags>): Promise<ExitCode> {
  const { terminal, signal, clock } = context
  const { config } = await context.config()
  const starting = terminal.progress('starting PostgreSQL')
  const place = config.databaseUrl === null ? { dataFolder: config.data } : { databaseUrl: config.databaseUrl.reveal() }
  const database = await openDatabase({ place, clock, notice: terminal.notice, signal }).finally(() => starting.done())
  if (database.kind === 'refused') throw new CommandFailure(EXIT.failed, database.why, [database.next])
  try {
    await serveOn(database, { config, terminal, clock }, signal)
  } finally {
    await database.close()
  }
  terminal.notice('Stopped.')
  return EXIT.ok
}

type Serving = { readonly config: Config; readonly terminal: Terminal; readonly clock: Clock }

async function serveOn(database: Database, { config, terminal, clock }: Serving, signal: AbortSignal): Promise<void> {
  const { version, folder } = ownPackage()
  const log = logTo(terminal, config, clock)
  const { connectionString } = database
  const store = postgresStore({ pool: database.pool, wakeups: postgresWakeups({ connectionString, clock }) })
  const metrics = createMetrics()
  metrics.gauge('signalbox_build_info', 'The version that runs.').set(1, { version, node: process.versions.node })
  const app = createApp({ version, metrics, readiness: [databaseAnswers(database)] })
  const listening = await listen(app, config.listen)
  if (listening.kind === 'refused') throw new CommandFailure(EXIT.failed, listening.why, [listening.next])
  const command = ownCommand(folder, process.cwd())
  announce(terminal, { version, where: database.where, url: listening.url, command })
  const holder = `${hostname()}/${process.pid}`
  const leadership = postgresLeadership({ connectionString, name: 'signalbox', holder, clock })
  const retention = retentionDuty({ retention: store.retention, policy: config.retention, clock, log, metrics })
  await lead({ leadership, duties: [retention], clock, log, metrics }, signal)
  terminal.notice('Stopping…')
  await listening.close()
}

function logTo(terminal: Terminal, { log }: Config, clock: Clock): Log {
  return createLog({ ...log, clock, write: terminal.log, redact })
}

function databaseAnswers(database: Database): ReadinessCheck {
  return {
    name: 'database',
    check: async () => {
      await database.pool.query('select 1')
      return { ok: true }
    },
  }
}

function announce(
  terminal: Terminal,
  { version, where, url, command }: Readonly<Record<'version' | 'where' | 'url' | 'command', string>>,
): void {
  const lines = [
    `Signalbox ${version}`,
    `  database   ${where}`,
    `  listening  ${url}`,
    'Try in a second terminal:',
    `  curl '${url}/readyz?verbose'`,
    `  ${command} doctor`,
    'Ctrl-C stops it.',
  ]
  for (const line of lines) terminal.notice(line)
}
