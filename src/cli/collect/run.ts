import { findFleetFlag, readFleetWish } from './fleet-wish.ts'
import { collectLive } from './live-evidence.ts'
import type { LiveCollection, LiveOrder } from './live-evidence.ts'
import { readOrder } from './order.ts'
import { summarise } from './summary.ts'
import { decideTarget, findOccupant, replaceFolder } from './target.ts'
import type { Occupant } from './target.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { collectFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { formatBytes } from '#/core/basics/bytes.ts'
import { isFleet } from '#/runtime/collect/request/request.ts'

export async function run(command: CommandContext<typeof collectFlags>): Promise<ExitCode> {
  const { flags, terminal } = command
  const occupant = await findOccupant(flags.output)
  const target = decideTarget(flags.output, occupant, flags.force)
  if (target.kind === 'wrong') throw new CommandFailure(EXIT.usage, target.why, [target.next])
  const order = await buildOrder(command)
  const { writing, meta, unfound } = await collectTo(command, order, { path: target.path, occupant })
  if (writing.kind === 'stopped') return EXIT.failed
  if (writing.kind === 'refused' || meta === null) {
    throw new CommandFailure(EXIT.failed, writing.kind === 'refused' ? writing.why : 'the bundle was not written')
  }
  for (const name of unfound) terminal.notice(printable(`no source knows a pod for ${name}`))
  const summary = summarise({ path: target.path, files: writing.files, bytes: writing.bytes, meta })
  if (summary.blind.length > 0) terminal.notice(`${summary.blind.length} blind sources:`)
  for (const { source, reason } of summary.blind.slice(0, MOST_NOTICES)) {
    terminal.notice(`  ${printable(redact(`${source}: ${reason}`))}`)
  }
  const more = summary.blind.length - MOST_NOTICES
  if (more > 0) terminal.notice(`  and ${more} more: see meta.json`)
  terminal.notice(`${target.path}: ${writing.files} files, ${formatBytes(writing.bytes)}`)
  await printOutput(terminal, flags.summary, summary.view)
  return EXIT.ok
}

/** One unreachable node makes dozens of sources blind. */
const MOST_NOTICES = 40

async function buildOrder(command: CommandContext<typeof collectFlags>): Promise<LiveOrder> {
  const { flags } = command
  const order = await readOrder(command, command.args[0])
  if (isFleet(order)) return { ...order, fleet: await readFleetWish(flags, null) }
  const flag = findFleetFlag(flags)
  if (flag === null) return order
  throw new CommandFailure(
    EXIT.usage,
    `--${flag} cannot be combined with SUBJECT or --last-seen: it is about the whole fleet`,
    ['leave out SUBJECT and --last-seen to collect the fleet'],
  )
}

function collectTo(
  command: CommandContext<typeof collectFlags>,
  order: LiveOrder,
  { path, occupant }: { readonly path: string; readonly occupant: Occupant },
): Promise<LiveCollection> {
  const write = (to: string): Promise<LiveCollection> => collectLive(command, order, to)
  if (occupant !== 'bundle-folder') return write(path)
  return replaceFolder(path, write, ({ writing }) => writing.kind === 'written')
}
