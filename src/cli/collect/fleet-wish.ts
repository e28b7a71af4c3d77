import { stat } from 'node:fs/promises'
import { parseYaml } from '#/adapters/bundle/parse-yaml.ts'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { FlagValues } from '#/cli/frame/flag.ts'
import type { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { seen } from '#/core/basics/observed.ts'
import type { FleetWish, SavedRunners } from '#/runtime/collect/request/request.ts'
import { readSavedRunners } from '#/runtime/collect/github/saved-runners.ts'

/** The flags that name files of a fleet. */
export type FleetFlags = Pick<
  FlagValues<typeof fleetLiveFlags>,
  'fleet' | 'github-runners-json' | 'gitlab-config' | 'gitlab-runners-json'
>

const LARGEST_FLEET_BYTES = 4 * 1024 * 1024
const LARGEST_LIST_BYTES = 64 * 1024 * 1024

/** The wanted sources and the given files. Throws a `CommandFailure` if a file is invalid. */
export async function readFleetWish(flags: FleetFlags, wanted: FleetWish['wanted']): Promise<FleetWish> {
  return {
    wanted,
    declared: await given(flags.fleet, readDeclared),
    githubRunners: await given(flags['github-runners-json'], readRunners),
    gitlabConfig: await given(flags['gitlab-config'], (path) => read('gitlab-config', path, LARGEST_FLEET_BYTES)),
    gitlabRunners: await given(flags['gitlab-runners-json'], readGitLabRunners),
  }
}

/** The first of the fleet-only flags that was given, for a command that can also be about one runner. */
export function findFleetFlag(flags: FleetFlags): keyof FleetFlags | null {
  const names = ['fleet', 'github-runners-json', 'gitlab-config', 'gitlab-runners-json'] as const
  return names.find((name) => flags[name] !== undefined) ?? null
}

async function given<T>(path: string | undefined, take: (path: string) => Promise<T>): Promise<T | null> {
  return path === undefined ? null : take(path)
}

async function readDeclared(path: string): Promise<NonNullable<FleetWish['declared']>> {
  const text = await read('fleet', path, LARGEST_FLEET_BYTES)
  const document = await parseYaml(seen(text))
  const declared = document.kind === 'seen' ? readFleetDocument(document.value) : document
  if (declared.kind === 'seen') return { text, file: declared.value }
  throw wrongFile('fleet', path, {
    why: declared.kind === 'blind' ? declared.reason.detail : 'it is empty',
    next: `list every mistake with its line: signalbox fleet check ${path}`,
  })
}

async function readRunners(path: string): Promise<SavedRunners> {
  const flag = 'github-runners-json'
  const reading = readSavedRunners(await read(flag, path, LARGEST_LIST_BYTES))
  if (reading.kind === 'wrong') {
    throw wrongFile(flag, path, {
      why: reading.why,
      next: 'save it with: gh api --paginate --slurp orgs/ORG/actions/runners',
    })
  }
  const { rows, total, collectedAt } = reading
  return { rows, total, at: collectedAt ?? (await stat(path)).mtimeMs }
}

async function readGitLabRunners(path: string): Promise<string> {
  const flag = 'gitlab-runners-json'
  const text = await read(flag, path, LARGEST_LIST_BYTES)
  const reading = parseJson(text)
  if (reading.kind === 'parsed') return text
  throw wrongFile(flag, path, {
    why: reading.why,
    next: "save GitLab's answer to GET /groups/ID/runners/all, all pages merged",
  })
}

async function read(flag: keyof FleetFlags, path: string, most: number): Promise<string> {
  const file = await readSmallFile(path, most)
  if (file.kind === 'read') return file.text
  throw wrongFile(flag, path, {
    why: file.kind === 'absent' ? 'no such file' : file.why,
    next: `check the path of --${flag}`,
  })
}

function wrongFile(
  flag: keyof FleetFlags,
  path: string,
  { why, next }: { readonly why: string; readonly next: string },
): CommandFailure {
  return new CommandFailure(EXIT.usage, `--${flag}: ${path}: ${why}`, [next])
}
