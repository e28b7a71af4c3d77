import { fleetOfBundle, fleetOfSources, namedFleetFile } from '#/cli/audit/open-fleet.ts'
import type { OpenedFleet } from '#/cli/audit/open-fleet.ts'
import { collectFleetTemporarily } from '#/cli/collect/temporary-bundle.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { FlagValues } from '#/cli/frame/flag.ts'
import type { fleetLiveFlags, hostFlags } from '#/cli/frame/fleet-flags.ts'
import type { Audit } from '#/core/audit/audit.ts'

export type AskedContext = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'> & {
  readonly flags: FlagValues<typeof fleetLiveFlags> &
    Partial<FlagValues<typeof hostFlags>> & {
      readonly bundle: string | undefined
      readonly source?: readonly string[]
    }
}

/** The fleet of the given bundle or source files; otherwise the live one, collected into a temporary folder. */
export async function askedFleet(
  context: AskedContext,
  audits: readonly Pick<Audit, 'reads' | 'mentions'>[],
  /** NAMESPACE/NAME: of the runners whose logs are read; null for all. */
  runners: ReadonlySet<string> | null = null,
): Promise<OpenedFleet> {
  const { flags, signal } = context
  const sources = flags.source ?? []
  refuseLiveFlags(flags)
  const fleetFile = await namedFleetFile(flags.fleet)
  if (flags.bundle !== undefined) {
    if (sources.length > 0)
      throw new CommandFailure(EXIT.usage, '--bundle cannot be combined with --source: use one of them')
    return fleetOfBundle(flags.bundle, { audits, fleetFile, signal })
  }
  if (sources.length > 0) return fleetOfSources(sources, { fleetFile, signal, warn: context.terminal.notice })
  const wanted = new Set(audits.flatMap(({ reads }) => reads.map(({ source }) => source)))
  await using collected = await collectFleetTemporarily(context, wanted, runners)
  // Awaited here: the folder is deleted at the end of this scope.
  return readTwice(await fleetOfBundle(collected.path, { audits, fleetFile, signal }))
}

/** docs/contracts/findings.md: a bundle needs two minutes without change, a live fleet two reads a minute apart. */
const LIVE_STILLNESS_MS = 60_000

function readTwice({ fleet, subject }: OpenedFleet): OpenedFleet {
  const wedgeSettled = fleet.declared.thresholds?.wedgeSettled ?? LIVE_STILLNESS_MS
  return { fleet: { ...fleet, thresholds: { ...fleet.thresholds, wedgeSettled } }, subject }
}

/** Only the live fleet can change between two reads. */
export function isLive({ bundle, source }: AskedContext['flags']): boolean {
  return bundle === undefined && (source ?? []).length === 0
}

/** A bundle has its own copy of these files; a flag that is silently ignored would look as if it was read. */
function refuseLiveFlags(flags: AskedContext['flags']): void {
  if (isLive(flags)) return
  const given = (['github-runners-json', 'gitlab-config', 'gitlab-runners-json', 'this-node'] as const).find(
    (flag) => flags[flag] !== undefined,
  )
  if (given === undefined) return
  throw new CommandFailure(EXIT.usage, `--${given} can be used only with the live fleet`, [
    'put the file into the bundle instead: docs/evidence.md',
  ])
}
