import { readFile } from 'node:fs/promises'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { parseYaml } from '#/adapters/bundle/parse-yaml.ts'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { printProblem, readSources } from '#/adapters/fleet-file/read-sources.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { BundleSubject } from '#/core/evidence/bundle-meta.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { seen } from '#/core/basics/observed.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'

export type OpenedFleet = { readonly fleet: Fleet; readonly subject: BundleSubject }

/** The fleet of a bundle; a given fleet file replaces the one in the bundle. */
export async function fleetOfBundle(
  path: string,
  given: {
    readonly audits: readonly Pick<Audit, 'reads' | 'mentions'>[]
    readonly fleetFile: FleetFile | null
    readonly signal: AbortSignal
  },
): Promise<OpenedFleet> {
  const opening = await openBundle(path, BUNDLE_LIMITS, given.signal)
  if (opening.kind === 'refused') {
    throw new CommandFailure(EXIT.blind, `cannot read the bundle: ${opening.why}`, [
      'use a folder or a .tar.gz with a meta.json at its top',
    ])
  }
  await using bundle = opening.bundle
  const snapshot = await readSnapshot(bundle, given.audits, readFleetDocument)
  given.signal.throwIfAborted()
  const fleetFile = given.fleetFile === null ? snapshot.fleetFile : seen(given.fleetFile)
  return { fleet: readFleet({ ...snapshot, fleetFile }), subject: bundle.meta.subject }
}

/** A fleet from files only. An unreadable file is reported as a gap; if all are unreadable, it fails. */
export async function fleetOfSources(
  paths: readonly string[],
  given: {
    readonly fleetFile: FleetFile | null
    readonly signal: AbortSignal
    readonly warn: (line: string) => void
  },
): Promise<OpenedFleet> {
  const { snapshot, problems, files } = await readSources(paths, given.signal)
  const [first, ...others] = problems.map(printProblem)
  if (files.length === 0 && first !== undefined) throw new CommandFailure(EXIT.blind, first, others.slice(0, 10))
  for (const problem of problems) given.warn(printProblem(problem))
  const fleetFile = given.fleetFile === null ? snapshot.fleetFile : seen(given.fleetFile)
  return { fleet: readFleet({ ...snapshot, fleetFile }), subject: {} }
}

const MAX_FLEET_BYTES = 4 * 1024 * 1024

export async function namedFleetFile(path: string | undefined): Promise<FleetFile | null> {
  if (path === undefined) return null
  const text = await readFile(path).catch((error: unknown) => {
    throw new CommandFailure(EXIT.usage, `cannot read the fleet file: ${error instanceof Error ? error.message : path}`)
  })
  if (text.byteLength > MAX_FLEET_BYTES)
    throw new CommandFailure(EXIT.usage, `${path} is larger than ${MAX_FLEET_BYTES} bytes`)
  const document = await parseYaml(seen(text.toString('utf8')))
  const read = document.kind === 'seen' ? readFleetDocument(document.value) : document
  if (read.kind === 'seen') return read.value
  throw new CommandFailure(
    EXIT.usage,
    `the fleet file ${path} is invalid: ${read.kind === 'blind' ? read.reason.detail : 'it is empty'}`,
    [`list every mistake with its line: signalbox fleet check ${path}`],
  )
}
