import { certificateFiles } from '#/adapters/files/certificate-files.ts'
import { hostname } from 'node:os'

import { createLog } from '#/adapters/log/create-log.ts'
import { openDatabase } from '#/adapters/postgres/database.ts'
import type { Database } from '#/adapters/postgres/database.ts'
import { postgresLeadership } from '#/adapters/postgres/leader.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import { captureDuty, watchedNamespaces } from '#/app/capture-duty.ts'
import { makeJudge } from '#/app/judging.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { serveFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { networkOf } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openGitHub } from '#/app/open-github.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import { ownCommand, ownPackage } from '#/app/own-package.ts'
import { redact } from '#/app/redact.ts'
import { openAgents } from '#/app/agents.ts'
import { announce, voiceOf } from './announce.ts'
import { openApi } from '#/app/api.ts'
import { openServedReplay } from './replay.ts'
import type { ServedReplay } from './replay.ts'
import { notifying, openChannels, replayedPlan } from '#/app/notify.ts'
import type { Config } from '#/config/config.ts'
import type { Death } from '#/core/recorder/death.ts'
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
  const { config: given } = await context.config()
  await using replay = context.flags.replay ? await openServedReplay(context, given) : null
  const config = replay?.config ?? given
  const starting = terminal.progress('starting PostgreSQL')
  const place = config.databaseUrl === null ? { dataFolder: config.data } : { databaseUrl: config.databaseUrl.reveal() }
  const say = voiceOf(terminal, config.log, logTo(terminal, config, clock))
  const database = await openDatabase({ place, clock, notice: say, signal }).finally(() => starting.done())
  if (database.kind === 'refused') throw new CommandFailure(EXIT.failed, database.why, [database.next])
  try {
    const auditLog = context.flags['audit-log'] ?? null
    await serveOn(database, { config, auditLog, replay, terminal, clock }, signal)
  } finally {
    await database.close()
  }
  say('Stopped.')
  return EXIT.ok
}

type Serving = {
  readonly config: Config
  readonly auditLog: string | null
  readonly replay: ServedReplay | null
  readonly terminal: Terminal
  readonly clock: Clock
}

async function serveOn(database: Database, serving: Serving, signal: AbortSignal): Promise<void> {
  const { config, replay, terminal, clock } = serving
  const { version, folder } = ownPackage()
  const log = logTo(terminal, config, clock)
  const { connectionString } = database
  const store = postgresStore({ pool: database.pool, wakeups: postgresWakeups({ connectionString, clock }) })
  const metrics = createMetrics()
  metrics.gauge('signalbox_build_info', 'The version that runs.').set(1, { version, node: process.versions.node })
  const judging = { judge: makeJudge(), rules: version }
  const opened = await openApi({ config, postmortems: store.postmortems, judging, clock, log, metrics })
  const { receiver, told, ...api } = opened
  const network = await networkOf(config)
  await using kubernetes = openCluster(config, network, clock)
  const { agents, api: agentsApi } = await openAgents({ config, kubernetes, clock, log, metrics }, signal)
  const readiness = [databaseAnswers(database)]
  const app = createApp({ version, metrics, log, readiness, ...api, agents: agentsApi })
  await using github = openGitHub(config, network, clock)
  await using channels = openChannels({ notify: config.notify, network, github, clock })
  const listening = await listen(app, config.listen, config.tls === null ? null : certificateFiles(config.tls))
  if (listening.kind === 'refused') throw new CommandFailure(EXIT.failed, listening.why, [listening.next])
  const namespaces = watchedNamespaces(config)
  const served = {
    version,
    where: database.where,
    url: listening.url,
    told,
    command: ownCommand(folder, process.cwd()),
  }
  const watches = kubernetes === null ? null : watchesLine(config, namespaces)
  if (replay === null) announce({ ...served, watches }, { terminal, log, format: config.log.format })
  else replay.announce(served)
  await replay?.begin(store.sightings)
  const holder = `${hostname()}/${process.pid}`
  const leadership = postgresLeadership({ connectionString, name: 'signalbox', holder, clock })
  const retention = retentionDuty({ retention: store.retention, policy: config.retention, clock, log, metrics })
  const plans = replay === null ? channels.plans : [replayedPlan(config.notify, terminal)]
  const notices = notifying(plans, { store, clock, log, metrics })
  const publish = (death: Death): void => {
    terminal.detail(printable(death.sentence))
    notices.publish(death)
    replay?.tell(death)
  }
  const means = { ...judging, ...serving, receiver, agents: replay?.agents ?? agents, store, log, metrics, publish }
  const recorder = kubernetes === null ? [] : [captureDuty({ kubernetes, github, namespaces }, means)]
  await lead({ leadership, duties: [retention, ...recorder, ...notices.duties], clock, log, metrics }, signal)
  voiceOf(terminal, config.log, log)('Stopping…')
  await listening.close()
}

function watchesLine({ kubernetes: { podSelector }, github }: Config, namespaces: readonly string[] | null): string {
  const where = namespaces === null ? 'all namespaces' : namespaces.join(', ')
  return `pods with ${podSelector} in ${where}${github.credential.kind === 'none' ? '; without GitHub: no credential' : ''}`
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
