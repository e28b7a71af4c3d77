import type { DatabaseRequest } from '#/adapters/postgres/database.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Config } from '#/config/config.ts'
import { printable } from '#/cli/output/printable.ts'

type Refusal = { readonly kind: 'refused'; readonly why: string; readonly next: string }

/** The store that the configuration names. */
export async function storePlace(
  context: Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>,
): Promise<DatabaseRequest> {
  const { config } = await context.config()
  const { clock, signal, terminal } = context
  const { binaries } = config.postgres
  return { place: placeOf(config), binaries, clock, signal, notice: (line) => terminal.notice(printable(line)) }
}

function placeOf({ databaseUrl, data }: Config): DatabaseRequest['place'] {
  return databaseUrl === null ? { dataFolder: data } : { databaseUrl: databaseUrl.reveal() }
}

/** The outcome that was wanted; a refusal ends the command. */
export function unlessRefused<T extends { readonly kind: string }>(outcome: T | Refusal): T {
  if (isRefusal(outcome)) throw new CommandFailure(EXIT.failed, printable(outcome.why), [printable(outcome.next)])
  return outcome
}

function isRefusal(outcome: { readonly kind: string }): outcome is Refusal {
  return outcome.kind === 'refused'
}
