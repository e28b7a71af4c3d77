import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { StoreEvidence } from '#/ports/act-candidate.ts'
import type { Ledger } from '#/ports/store/ledger.ts'

/** Where a command that acts writes what it does, and keeps what it removes. */
export type ActBook = AsyncDisposable & {
  readonly ledger: Ledger
  readonly storeEvidence: StoreEvidence
  /** As the ledger will name who acted. */
  readonly actor: string
  /** For a person: the server's address, or the folder. */
  readonly where: string
}

export type ActBookContext = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>

/** A folder if one is given, otherwise the server. Without a durable ledger it throws: then nothing may act. */
export async function openActBook(
  _context: ActBookContext,
  _given: { readonly evidence: string | undefined },
): Promise<ActBook> {
  throw noLedger([])
}

/** Exit 3, with what a person can do about it. */
function noLedger(why: readonly string[]): CommandFailure {
  return new CommandFailure(EXIT.blind, 'nothing can keep the ledger of this act, so nothing is done', [
    ...why,
    'start the server: signalbox serve',
    'or use another server: --server URL',
    'or keep ledger and evidence in a folder: --evidence DIR',
  ])
}
