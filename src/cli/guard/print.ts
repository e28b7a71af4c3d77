import { stringify } from 'yaml'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { buildGuard } from '#/core/guard/manifests.ts'
import type { printFlags } from './command.ts'
import { openGuardCluster } from './open.ts'

export async function run(context: CommandContext<typeof printFlags>): Promise<ExitCode> {
  const { flags, terminal } = context
  const manifests = buildGuard({ mode: flags.mode, namespaces: await readPlaces(context) })
  // Documents for kubectl, not an answer of ours: without a schemaVersion.
  terminal.data(
    flags.output === 'json'
      ? `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }, null, 2)}\n`
      : manifests.map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'),
  )
  return EXIT.ok
}

async function readPlaces(context: CommandContext<typeof printFlags>): Promise<readonly string[]> {
  const { namespaces } = (await context.config()).config.kubernetes
  if (namespaces.kind === 'named') return namespaces.names
  await using open = await openGuardCluster(context)
  return open.namespaces
}
