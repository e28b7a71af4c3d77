import { delimiter, dirname, resolve } from 'node:path'
import type { z } from 'zod'
import type { Config, Surroundings } from '#/config/config.ts'
import { toConfig } from '#/config/config.ts'
import { contradictions } from '#/config/contradictions.ts'
import type { Entry, Origin, Problem } from '#/config/entry.ts'
import { describeOrigin } from '#/config/entry.ts'
import { schema } from '#/config/schema.ts'
import { chooseSecrets, readSecrets } from '#/config/secret-files.ts'
import { HIDDEN, maskUrl } from '#/config/mask-url.ts'
import type { Setting } from '#/config/setting.ts'
import { settings } from '#/config/setting.ts'

export type Assembled =
  | { readonly kind: 'valid'; readonly config: Config; readonly values: readonly ShownValue[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }

/** A setting as `config print` shows it; value and origin are null when it is not set. */
export type ShownValue = { readonly path: string; readonly value: unknown; readonly origin: Origin | null }

export type Place = Surroundings & {
  /** The base of relative paths in flags and variables. */
  readonly workingFolder: string
}

/** Later sources override earlier ones. */
export async function assemble(sources: readonly (readonly Entry[])[], place: Place): Promise<Assembled> {
  const defaults = settings
    .filter((setting) => setting.default !== undefined)
    .map((setting): Entry => ({ path: setting.path, value: setting.default, origin: { kind: 'default' } }))
  const given = [defaults, ...sources].flat().map((entry) => withAbsolutePath(entry, place.workingFolder))
  const chosen = chooseSecrets(new Map(given.map((entry) => [entry.path, entry])))
  const filled = await readSecrets(chosen.entries)
  const checked = schema.safeParse(nested(filled.entries.values()))
  const problems = [
    ...chosen.problems,
    ...filled.problems,
    ...(checked.error?.issues ?? []).map((issue) => asProblem(issue, filled.entries)),
    ...contradictions(filled.entries),
  ]
  if (!checked.success || problems.length > 0) return { kind: 'invalid', problems }
  return {
    kind: 'valid',
    config: toConfig(checked.data, place),
    values: settings.map((setting) => shown(setting, filled.entries)),
  }
}

function withAbsolutePath(entry: Entry, workingFolder: string): Entry {
  const setting = settings.find(({ path }) => path === entry.path)
  if (setting?.about.path === undefined || typeof entry.value !== 'string' || entry.value === '') return entry
  const folder = entry.origin.kind === 'file' ? dirname(resolve(workingFolder, entry.origin.file)) : workingFolder
  const paths =
    setting.about.path === 'several' ? entry.value.split(delimiter).filter((path) => path !== '') : [entry.value]
  return { ...entry, value: paths.map((path) => resolve(folder, path)).join(delimiter) }
}

function nested(entries: Iterable<Entry>): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {}
  for (const { path, value } of entries) {
    const keys = path.split('.')
    const last = keys.pop() ?? ''
    let group = root
    for (const key of keys) group = (group[key] ??= {}) as Record<string, unknown>
    group[last] = value
  }
  return root
}

function asProblem(issue: z.core.$ZodIssue, entries: ReadonlyMap<string, Entry>): Problem {
  const keys = issue.path.map(String)
  const entry = keys
    .map((_, index) => entries.get(keys.slice(0, index + 1).join('.')))
    .find((found) => found !== undefined)
  const message = issue.message.replace(/^Invalid (?:input|option): /, 'is invalid: ')
  return {
    where: entry === undefined ? 'configuration' : describeOrigin(entry.origin),
    message: `${keys.join('.')} ${message}`,
    meant: [],
  }
}

function shown(setting: Setting, entries: ReadonlyMap<string, Entry>): ShownValue {
  const entry = entries.get(setting.path)
  if (entry === undefined) return { path: setting.path, value: null, origin: null }
  return { path: setting.path, value: masked(setting, entry.value), origin: entry.origin }
}

function masked(setting: Setting, value: unknown): unknown {
  if (setting.about.secret === undefined) return value
  return setting.about.secret === 'url' && typeof value === 'string' ? maskUrl(value) : HIDDEN
}
