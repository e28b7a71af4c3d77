import { writeFile } from 'node:fs/promises'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { printFleetFile } from '#/adapters/fleet-file/print-fleet-file.ts'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { collectFleetTemporarily } from '#/cli/collect/temporary-bundle.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { fleetInitFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { DRAFT_SOURCES, draftFleetFile } from '#/core/fleet/draft/draft-fleet-file.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { none } from '#/core/basics/observed.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'

type Context = CommandContext<typeof fleetInitFlags>

const WANTED: readonly string[] = DRAFT_SOURCES.map((name) => `kubernetes/${name}`)

export async function run(context: Context): Promise<ExitCode> {
  const { flags, terminal } = context
  const { fleet, source } = await loadFleet(context)
  const unseen = WANTED.filter((name) => !fleet.saw(name))
  if (unseen.length === WANTED.length) {
    throw new CommandFailure(EXIT.blind, `cannot read the fleet from ${source}`, ['see: signalbox doctor'])
  }
  for (const name of unseen) terminal.notice(`cannot read ${name}: the draft lacks what it would give`)
  const text = redact(printFleetFile(draftFleetFile(fleet), source))
  if (flags.output === undefined) terminal.data(text)
  else await write(flags.output, text, flags.force)
  return EXIT.ok
}

async function loadFleet(context: Context): Promise<{ readonly fleet: Fleet; readonly source: string }> {
  const { bundle } = context.flags
  if (bundle !== undefined) return { fleet: await openFleet(bundle, context.signal), source: printable(bundle) }
  // A draft needs no logs and nothing from GitHub.
  const flags = {
    fleet: undefined,
    'github-runners-json': undefined,
    'gitlab-config': undefined,
    'gitlab-runners-json': undefined,
    repo: [],
    'log-bytes': fleetLiveFlags['log-bytes'].default,
  }
  const { config, clock, signal, terminal } = context
  await using collected = await collectFleetTemporarily({ config, clock, signal, terminal, flags }, new Set(WANTED))
  // Awaited here: the folder is deleted at the end of this scope.
  return { fleet: await openFleet(collected.path, signal), source: 'the live cluster' }
}

async function openFleet(path: string, signal: AbortSignal): Promise<Fleet> {
  const opening = await openBundle(path, BUNDLE_LIMITS, signal)
  if (opening.kind === 'refused') {
    throw new CommandFailure(EXIT.blind, `cannot read the bundle: ${opening.why}`, [
      'use a folder or a .tar.gz with a meta.json at its top',
    ])
  }
  await using bundle = opening.bundle
  const reads = WANTED.map((source) => ({ source, weight: 'useful', gives: 'what the fleet is' }) as const)
  const snapshot = await readSnapshot(bundle, [{ reads }], readFleetDocument)
  signal.throwIfAborted()
  // An older fleet file is ignored: its declarations would look like observations.
  return readFleet({ ...snapshot, fleetFile: none() })
}

async function write(path: string, text: string, isForced: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: isForced ? 'w' : 'wx' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const shown = printable(path)
    if (code === 'EEXIST') {
      throw new CommandFailure(EXIT.usage, `${shown} already exists`, ['use another path, or --force to replace it'])
    }
    throw new CommandFailure(EXIT.failed, `cannot write ${shown} (${code})`)
  }
}
