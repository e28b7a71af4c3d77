import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFleetWish } from '#/cli/collect/fleet-wish.ts'
import { collectLive } from '#/cli/collect/live-evidence.ts'
import type { LiveCollection, LiveOrder } from '#/cli/collect/live-evidence.ts'
import { fleetOrder, readOrder } from '#/cli/collect/order.ts'
import type { LiveContext } from '#/cli/collect/order.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { FlagValues } from '#/cli/frame/flag.ts'
import type { fleetLiveFlags, hostFlags } from '#/cli/frame/fleet-flags.ts'

export type TemporaryBundle = AsyncDisposable &
  Pick<LiveCollection, 'unfound' | 'isKnown' | 'meta'> & { readonly path: string }

type Command = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>

/**
 * The evidence of a live subject, in a folder that only this user can read and that is deleted at the end of the
 * scope.
 */
export async function collectTemporarily(command: LiveContext & Command, subject: string): Promise<TemporaryBundle> {
  return collectInto(command, await readOrder(command, subject))
}

/** The same for the whole fleet, limited to the wanted sources and to the logs of some runners; null for all. */
export async function collectFleetTemporarily(
  command: Command & { readonly flags: FlagValues<typeof fleetLiveFlags> & Partial<FlagValues<typeof hostFlags>> },
  wanted: ReadonlySet<string> | null,
  runners: ReadonlySet<string> | null = null,
): Promise<TemporaryBundle> {
  const { flags } = command
  return collectInto(command, fleetOrder(flags, { ...(await readFleetWish(flags, wanted)), runners }))
}

async function collectInto(command: Command, order: LiveOrder): Promise<TemporaryBundle> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-evidence-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const path = join(folder, 'bundle')
    const { writing, ...collected } = await collectLive(command, order, path)
    command.signal.throwIfAborted()
    if (writing.kind !== 'written') {
      throw new CommandFailure(EXIT.failed, writing.kind === 'refused' ? writing.why : 'the collection was stopped')
    }
    return { path, ...collected, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}
