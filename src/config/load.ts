import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config, Surroundings } from './config.ts'
import type { Entry, Gathered, Problem } from './entry.ts'
import type { ShownValue } from './assemble.ts'
import type { Variables } from './environment.ts'

export type LoadedConfig = {
  readonly config: Config
  /** Every setting with its origin, secrets masked. */
  readonly values: readonly ShownValue[]
  /** The file that was read; null for none. */
  readonly file: string | null
}

export type ConfigOutcome =
  | ({ readonly kind: 'valid' } & LoadedConfig)
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }

export type ConfigRequest = {
  /** `--config`. */
  readonly file?: string | undefined
  /** Settings from flags, with their value as text. */
  readonly flags: readonly FlagEntry[]
  readonly workingFolder: string
}
export type FlagEntry = { readonly path: string; readonly text: string; readonly flag: string }

/** Read from the working folder unless --config or SIGNALBOX_CONFIG is given. */
const DEFAULT_FILE = 'signalbox.yaml'

/**
 * The only file that reads the environment. Flags override SIGNALBOX_* variables, which override the file, which
 * overrides the defaults. The checks are imported on first use, so that `--help` stays fast.
 */
export async function loadConfig(request: ConfigRequest, variables: Variables = process.env): Promise<ConfigOutcome> {
  const [{ assemble }, { fromEnvironment }, { fromText }, { settings }] = await Promise.all([
    import('./assemble.ts'),
    import('./environment.ts'),
    import('./text-value.ts'),
    import('./setting.ts'),
  ])
  const file = await gatherFile(request, variables)
  const environment = fromEnvironment(variables)
  const flags = request.flags.flatMap(({ path, text, flag }): readonly Entry[] => {
    const setting = settings.find((candidate) => candidate.path === path)
    return setting === undefined ? [] : [{ path, value: fromText(setting, text), origin: { kind: 'flag', flag } }]
  })
  const problems = [...file.problems, ...environment.problems]
  const assembled = await assemble([file.entries, environment.entries, flags], {
    workingFolder: request.workingFolder,
    ...surroundings(variables),
  })
  if (assembled.kind === 'invalid') return { kind: 'invalid', problems: [...problems, ...assembled.problems] }
  if (problems.length > 0) return { kind: 'invalid', problems }
  return { ...assembled, file: file.name }
}

async function gatherFile(
  request: ConfigRequest,
  variables: Variables,
): Promise<Gathered & { readonly name: string | null }> {
  const { fromFile, readConfigFile } = await import('./file.ts')
  const named = request.file ?? (variables['SIGNALBOX_CONFIG'] || undefined)
  const name = named ?? DEFAULT_FILE
  const read = await readConfigFile(resolve(request.workingFolder, name))
  switch (read.kind) {
    case 'read':
      return { ...fromFile(name, read.text), name }
    case 'absent':
      return named === undefined
        ? { name: null, entries: [], problems: [] }
        : { name, entries: [], problems: [{ where: name, message: 'no such file', meant: [] }] }
    case 'unreadable':
      return { name, entries: [], problems: [{ where: name, message: read.why, meant: [] }] }
  }
}

/** The same order as kubectl. */
function surroundings(variables: Variables): Surroundings {
  const kubeconfig = join(variables['HOME'] || homedir(), '.kube', 'config')
  return {
    homeKubeconfig: existsSync(kubeconfig) ? kubeconfig : null,
    insideCluster: (variables['KUBERNETES_SERVICE_HOST'] ?? '') !== '',
  }
}

/** By the conventions of no-color.org and terminfo. */
export function readTerminalOptions(variables: Variables = process.env): {
  readonly colour: boolean
  readonly dumb: boolean
} {
  const dumb = variables['TERM'] === 'dumb'
  return { colour: !dumb && (variables['NO_COLOR'] ?? '') === '', dumb }
}

/** Whether a browser that is started here is seen by whoever started us. */
export function hasDisplay(isMac: boolean, variables: Variables = process.env): boolean {
  const isSet = (name: string): boolean => (variables[name] ?? '') !== ''
  return isMac ? !isSet('SSH_CONNECTION') : isSet('DISPLAY') || isSet('WAYLAND_DISPLAY')
}
