import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import { asRecord, asText } from './record.ts'

export type KubeconfigSource =
  /** Merged as kubectl does it: whoever comes first wins. */
  | { readonly kind: 'files'; readonly paths: readonly string[]; readonly context?: string | undefined }
  /** `root` stands before the mounted folder of the service account. */
  | { readonly kind: 'in-cluster'; readonly root?: string | undefined }

/** Loading the library takes half a second and 80 MB (docs/decisions/015): only what `readPlainKubeconfig` leaves comes here. */
export async function loadKubeconfig(source: KubeconfigSource): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  if (source.kind === 'in-cluster') {
    config.loadFromCluster(source.root)
    return config
  }
  for (const path of source.paths) {
    const text = await readKubeconfig(source.paths, path)
    if (text === null) continue
    const next = new KubeConfig()
    next.loadFromString(text)
    next.makePathsAbsolute(dirname(path))
    await adoptTokenFiles(next, text, dirname(path))
    mergeInto(config, next)
  }
  if (source.context !== undefined) config.setCurrentContext(source.context)
  return config
}

/** Of several files some may be missing; a single one was meant. */
export async function readKubeconfig(paths: readonly string[], path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (paths.length > 1 && error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function mergeInto(config: KubeConfig, next: KubeConfig): void {
  const missing = <T extends { readonly name: string }>(known: readonly T[], more: readonly T[]): T[] =>
    more.filter(({ name }) => !known.some((one) => one.name === name))
  config.clusters = [...config.clusters, ...missing(config.clusters, next.clusters)]
  config.users = [...config.users, ...missing(config.users, next.users)]
  config.contexts = [...config.contexts, ...missing(config.contexts, next.contexts)]
  if (!config.currentContext) config.setCurrentContext(next.currentContext)
}

/** The library reads a key that kubectl does not write (`token-file`) and once only; its in-cluster reader rereads. */
async function adoptTokenFiles(config: KubeConfig, text: string, folder: string): Promise<void> {
  if (!text.includes('tokenFile')) return
  const { parse } = await import('yaml')
  const users = asRecord(parse(text))?.['users']
  for (const entry of Array.isArray(users) ? users.map(asRecord) : []) {
    const tokenFile = asText(asRecord(entry?.['user'])?.['tokenFile'])
    if (tokenFile === null) continue
    const path = isAbsolute(tokenFile) ? tokenFile : join(folder, tokenFile)
    const authProvider = { name: 'tokenFile', config: { tokenFile: path } }
    config.users = config.users.map((user) =>
      user.name === entry?.['name'] ? withTokenFile(user, authProvider) : user,
    )
  }
}

type User = KubeConfig['users'][number]

function withTokenFile(user: User, authProvider: object): User {
  const { token: _, ...rest } = user
  return { ...rest, authProvider }
}
