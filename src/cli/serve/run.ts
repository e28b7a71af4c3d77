import { createLog } from '#/adapters/log/create-log.ts'
import { ownCommand, ownPackage } from '#/adapters/files/own-package.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { openReplaySetup } from '#/app/replay.ts'
import type { ReplaySetup, ReplayWish } from '#/app/replay.ts'
import { serve } from '#/app/serve.ts'
import type { ServeReports } from '#/app/serve.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Config } from '#/config/config.ts'
import type { Log } from '#/ports/log.ts'
import { announce, chooseNotice } from './announce.ts'
import type { serveFlags } from './command.ts'
import { replayBanner } from './replay-banner.ts'
import { sentenceLine } from './replay-sentence.ts'
import { readReplayWish } from './replay-flags.ts'

type Context = CommandContext<typeof serveFlags>
type Played = { readonly wish: ReplayWish; readonly setup: ReplaySetup }

export async function run(context: Context): Promise<ExitCode> {
  const { terminal, signal, clock, flags } = context
  const { config: given } = await context.config()
  const wish = flags.replay ? readReplayWish(flags, clock) : null
  await using setup = wish === null ? null : await openReplaySetup(wish, { given, clock }, signal)
  const config = setup?.config ?? given
  const log = createLog({ ...config.log, clock, write: terminal.log, redact })
  const played = wish === null || setup === null ? null : { wish, setup }
  const reports = reportsTo(context, { config, log, played })
  await serve({ config, auditLog: flags['audit-log'] ?? null, replay: setup, clock, log, reports }, signal)
  reports.notice('Stopped.')
  return EXIT.ok
}

function reportsTo(
  { terminal, clock }: Pick<Context, 'terminal' | 'clock'>,
  { config, log, played }: { readonly config: Config; readonly log: Log; readonly played: Played | null },
): ServeReports {
  const starting = terminal.progress('starting PostgreSQL')
  const notice = chooseNotice(terminal, config.log, log)
  return {
    notice,
    storeTried: starting.done,
    listening: (facts) => {
      const served = { ...facts, command: ownCommand(ownPackage().folder, process.cwd()) }
      if (played === null) announce(served, { terminal, log, format: config.log.format })
      else
        for (const line of replayBanner({ ...played.wish, ...played.setup.facts, ...served }, terminal.style))
          terminal.notice(line)
    },
    death: (death) => {
      terminal.detail(printable(death.sentence))
      const line = played === null ? null : sentenceLine(death, { now: clock.now(), style: terminal.style })
      if (line !== null) terminal.notice(line)
    },
    notification: (text) => terminal.notice(`  a channel would send: ${printable(text.split('\n')[0] ?? '')}`),
    stopping: () => notice('Stopping…'),
  }
}
