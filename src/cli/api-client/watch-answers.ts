import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Output, OutputFormat } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'

export const watchFlag = {
  kind: 'switch',
  short: 'w',
  summary: 'Keep running and print again when something changes; with -o json one document per line',
} as const

type Context = Pick<CommandContext, 'terminal' | 'clock' | 'signal'> & {
  readonly flags: { readonly output: OutputFormat; readonly watch: boolean }
}

const WATCH_MS = 2000

/** Prints what is read, and with `--watch` again when it changes. */
export async function printAnswers(context: Context, read: () => Promise<Output>): Promise<ExitCode> {
  const { flags, clock, signal, terminal } = context
  const first = await read()
  await print(context, first)
  if (!flags.watch) return EXIT.ok
  let [printed, isAway] = [withoutCountdowns(first), false]
  while (!signal.aborted) {
    await clock.sleep(WATCH_MS, signal)
    if (signal.aborted) break
    try {
      const output = await read()
      isAway = false
      if (withoutCountdowns(output) === printed) continue
      printed = withoutCountdowns(output)
      await print(context, output)
    } catch (error) {
      if (signal.aborted) break
      if (!(error instanceof CommandFailure)) throw error
      // Otherwise an outage would look like a time without changes.
      if (!isAway) terminal.notice(printable(`${error.message}; will retry`))
      isAway = true
    }
  }
  return EXIT.ok
}

/** Seconds that pass are no change. */
function withoutCountdowns({ data }: Output): string {
  return JSON.stringify(data).replaceAll(/ in \d+ s/g, '')
}

async function print({ terminal, flags, clock }: Context, output: Output): Promise<void> {
  if (flags.watch && flags.output === 'json') {
    return terminal.data(`${JSON.stringify({ schemaVersion: 1, ...output.data })}\n`)
  }
  if (flags.watch && flags.output === 'yaml') terminal.data('---\n')
  else if (flags.watch) terminal.data(`\n${new Date(clock.now()).toISOString()}\n`)
  await printOutput(terminal, flags.output, output)
}
