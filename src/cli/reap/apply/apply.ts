import { AppFailure } from '#/app/part/failure.ts'
import { openActBook } from '#/cli/acting/open-act-book.ts'
import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { OutputFormat } from '#/cli/output/print-output.ts'
import type { ApplyWish, ReapQuestion } from '#/cli/reap/plan/question.ts'
import { applyExit } from './apply-exit.ts'
import { applyRound } from './apply-round.ts'
import { openActingMeans } from './open-means.ts'
import { renderApplied } from './render-applied.ts'

type Wanted = { readonly question: ReapQuestion; readonly wish: ApplyWish; readonly output: OutputFormat }

/** Removes what the gates permit: once, or again and again. */
export async function apply(context: AskedContext, wanted: Wanted): Promise<ExitCode> {
  const { clock, signal, terminal } = context
  const { intervalMs, isConfirmed } = wanted.wish
  if (!isConfirmed && terminal.ask === null) {
    throw new CommandFailure(EXIT.usage, 'reap --apply asks before it removes, and stdin is not a terminal', [
      'add --yes if a script may remove what the gates permit',
    ])
  }
  if (intervalMs === null) return await applyOnce(context, wanted)
  for (;;) {
    await applyOnce(context, wanted).catch((error: unknown) => {
      // The next round may find the cluster again.
      if (signal.aborted || !(error instanceof AppFailure)) throw error
      terminal.error(error.message)
      for (const line of error.next) terminal.hint(line)
    })
    await clock.sleep(intervalMs, signal)
    signal.throwIfAborted()
  }
}

async function applyOnce(context: AskedContext, { question, wish, output }: Wanted): Promise<ExitCode> {
  // First: without a ledger nothing may be done, and nobody should wait for a read of the fleet to hear that.
  await using book = await openActBook(context, { evidence: wish.evidence })
  await using acting = await openActingMeans(context)
  const round = await applyRound({ context, question, wish, book, acting })
  if (round.isDeclined) {
    context.terminal.notice('You answered no: nothing was changed.')
    return EXIT.ok
  }
  await printOutput(
    context.terminal,
    output,
    renderApplied(round, { where: book.where, folder: wish.evidence, waitMs: wish.waitMs }),
  )
  return applyExit(round.applied, { isUnjudged: round.answer.unjudged.length > 0 })
}
