import { fleetOfBundle, fleetOfSources, namedFleetFile } from '#/cli/audit/open-fleet.ts'
import type { OpenedFleet } from '#/cli/audit/open-fleet.ts'
import { collectFleetTemporarily } from '#/cli/collect/temporary-bundle.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { FlagValues } from '#/cli/frame/flag.ts'
import type { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import type { Audit } from '#/core/audit/audit.ts'

export type AskedContext = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'> & {
  readonly flags: FlagValues<typeof fleetLiveFlags> & {
    readonly bundle: string | undefined
    readonly source?: readonly string[]
  }
}

/** The fleet of the bundle or of the files that were named; else the live one, collected into a folder that goes again. */
export async function askedFleet(context: AskedContext, audits: readonly Audit[]): Promise<OpenedFleet> {
  const { flags, signal } = context
  const sources = flags.source ?? []
  refuseLiveFlags(flags)
  const fleetFile = await namedFleetFile(flags.fleet)
  if (flags.bundle !== undefined) {
    if (sources.length > 0)
      throw new CommandFailure(EXIT.usage, '--bundle and --source are two places to read from: give one')
    return fleetOfBundle(flags.bundle, { audits, fleetFile, signal })
  }
  if (sources.length > 0) return fleetOfSources(sources, { fleetFile, signal, warn: context.terminal.notice })
  const wanted = new Set(audits.flatMap(({ reads }) => reads.map(({ source }) => source)))
  await using collected = await collectFleetTemporarily(context, wanted)
  // Awaited here: the folder goes with this scope.
  return readTwice(await fleetOfBundle(collected.path, { audits, fleetFile, signal }))
}

/** The contract asks for two minutes of stillness in one bundle, and for two reads a minute apart of what is live. */
const LIVE_STILLNESS_MS = 60_000

function readTwice({ fleet, subject }: OpenedFleet): OpenedFleet {
  const wedgeSettled = fleet.declared.thresholds?.wedgeSettled ?? LIVE_STILLNESS_MS
  return { fleet: { ...fleet, thresholds: { ...fleet.thresholds, wedgeSettled } }, subject }
}

/** Nothing but the live fleet changes between two reads. */
export function isLive({ bundle, source }: AskedContext['flags']): boolean {
  return bundle === undefined && (source ?? []).length === 0
}

/** What a bundle holds stands in it: a file beside it would be ignored, and be taken for read. */
function refuseLiveFlags(flags: AskedContext['flags']): void {
  if (isLive(flags)) return
  const given = (['github-runners-json', 'gitlab-config', 'gitlab-runners-json'] as const).find(
    (flag) => flags[flag] !== undefined,
  )
  if (given === undefined) return
  throw new CommandFailure(EXIT.usage, `--${given} goes with the live fleet`, [
    'in a bundle the file has its own place: see docs/evidence.md',
  ])
}
