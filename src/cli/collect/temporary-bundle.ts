import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collectLive } from '#/cli/collect/live-evidence.ts'
import type { LiveCollection } from '#/cli/collect/live-evidence.ts'
import { readOrder } from '#/cli/collect/order.ts'
import type { LiveContext } from '#/cli/collect/order.ts'
import { CommandFailure } from '#/cli/command-failure.ts'
import type { CommandContext } from '#/cli/context.ts'
import { EXIT } from '#/cli/exit-code.ts'

export type TemporaryBundle = AsyncDisposable & Pick<LiveCollection, 'unfound'> & { readonly path: string }

/**
 * For a command that judges what is live: the evidence of the subject, in a folder that only this user can enter and that
 * goes with the scope.
 */
export async function collectTemporarily(
  command: LiveContext & Pick<CommandContext, 'config' | 'signal' | 'terminal'>,
  subject: string,
): Promise<TemporaryBundle> {
  const order = await readOrder(command, subject)
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-evidence-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const path = join(folder, 'bundle')
    const { writing, unfound } = await collectLive(command, order, path)
    command.signal.throwIfAborted()
    if (writing.kind !== 'written') {
      throw new CommandFailure(EXIT.failed, writing.kind === 'refused' ? writing.why : 'the collection was stopped')
    }
    return { path, unfound, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}
