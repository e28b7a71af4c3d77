import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiAccess } from './api-client.ts'

export interface ClusterUser {
  readonly name: string
  readonly groups: readonly string[]
}

export const ADMIN: ClusterUser = { name: 'admin', groups: ['system:masters'] }
export const NODE_NAME = 'localhost'

/** The identity of a kubelet: node restriction expects this name and group. */
export function nodeUser(node: string): ClusterUser {
  return { name: `system:node:${node}`, groups: ['system:nodes'] }
}

/** The identities of a real cluster, so that RBAC, node restriction and the audit log behave as they do there. */
export const SYSTEM_USERS = {
  'kube-scheduler': { name: 'system:kube-scheduler', groups: [] },
  'kube-controller-manager': { name: 'system:kube-controller-manager', groups: [] },
} as const satisfies Readonly<Record<string, ClusterUser>>

export interface CredentialFiles {
  readonly tokenFile: string
  readonly signingKey: string
  readonly verificationKey: string
  readonly tokens: ReadonlyMap<string, string>
}

const SECRET = { mode: 0o600 } as const

/** Writes the tokens of all users and the key pair that signs the tokens of service accounts. */
export async function writeCredentials(folder: string, users: readonly ClusterUser[]): Promise<CredentialFiles> {
  await mkdir(folder, { recursive: true })
  const tokens = new Map(users.map((user) => [user.name, randomUUID()]))
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const files = {
    tokenFile: join(folder, 'tokens.csv'),
    signingKey: join(folder, 'service-account.key'),
    verificationKey: join(folder, 'service-account.pub'),
  }
  await writeFile(files.tokenFile, renderTokenFile(users, tokens), SECRET)
  await writeFile(files.signingKey, pair.privateKey, SECRET)
  await writeFile(files.verificationKey, pair.publicKey)
  return { ...files, tokens }
}

export function renderTokenFile(users: readonly ClusterUser[], tokens: ReadonlyMap<string, string>): string {
  const lines = users.map(({ name, groups }) => `${tokens.get(name) ?? ''},${name},${name},"${groups.join(',')}"`)
  return `${lines.join('\n')}\n`
}

/** JSON is YAML, and every client reads it. */
export function renderKubeconfig(access: ApiAccess, user: string): string {
  const authority = Buffer.from(access.certificateAuthority).toString('base64')
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'signalbox',
      clusters: [{ name: 'signalbox', cluster: { server: access.url, 'certificate-authority-data': authority } }],
      users: [{ name: user, user: { token: access.token } }],
      contexts: [{ name: 'signalbox', context: { cluster: 'signalbox', user } }],
    },
    null,
    2,
  )
}

export async function writeKubeconfig(path: string, access: ApiAccess, user: string): Promise<string> {
  // Atomically: another process may be reading it, for the same user.
  const partial = `${path}.${randomUUID()}`
  await writeFile(partial, renderKubeconfig(access, user), SECRET)
  await rename(partial, path)
  return path
}
