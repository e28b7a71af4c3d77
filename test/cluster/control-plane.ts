import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Access } from './access.ts'
import { reachControlPlane } from './access.ts'
import type { ApiAccess } from './api-client.ts'
import { callApi } from './api-client.ts'
import { DEFAULT_AUDIT_POLICY, renderApiServerFlags } from './api-server-flags.ts'
import type { BackgroundProcess } from './background-process.ts'
import { startProcess, untilServing } from './background-process.ts'
import type { ClusterUser, CredentialFiles } from './credentials.ts'
import { ADMIN, SYSTEM_USERS, writeCredentials, writeKubeconfig } from './credentials.ts'
import type { Etcd } from './etcd.ts'
import { startEtcd } from './etcd.ts'
import { freePorts } from './free-port.ts'
import type { Guard } from './guard.ts'
import type { KubernetesBinaries } from './kubernetes-binaries.ts'
import { settled } from './until.ts'

export interface ApiServerOptions {
  /** An audit.k8s.io/v1 Policy instead of the default one, or `off`. */
  readonly audit?: object | 'off'
  /** Default true. With false a watch from a compacted revision gets 410 Gone. */
  readonly watchCache?: boolean
  /** Flags for kube-apiserver, last, so that they win. */
  readonly apiServerFlags?: readonly string[]
  /** Users besides the admin, each with a token (`findToken`); they have no rights until a test grants some. */
  readonly users?: readonly ClusterUser[]
  /** Also kube-controller-manager (default false): default service accounts, garbage collection, disruption budgets. */
  readonly controllers?: boolean
  readonly controllerFlags?: readonly string[]
}

/** A running etcd and kube-apiserver. */
export interface ControlPlane extends Access {
  /** SIGKILL, as a crash. etcd stays. */
  readonly killApiServer: () => Promise<void>
  /** On the same port, with the same certificate, on the same etcd; back when it is ready. */
  readonly startApiServer: () => Promise<void>
  /** Forgets etcd's history, so that older resource versions and continue tokens are gone (410). */
  readonly compactEtcd: () => Promise<number>
}

const START_TIMEOUT_MS = 180_000

interface Parts {
  readonly guard: Guard
  readonly binaries: KubernetesBinaries
  readonly options: ApiServerOptions
  readonly credentials: CredentialFiles
  readonly etcd: Etcd
  readonly port: number
}

export async function startControlPlane(
  guard: Guard,
  binaries: KubernetesBinaries,
  options: ApiServerOptions,
): Promise<ControlPlane> {
  const users = [ADMIN, ...Object.values(SYSTEM_USERS), ...(options.users ?? [])]
  const [credentials, etcd, [port = 0]] = await settled([
    writeCredentials(join(guard.folder, 'credentials'), users),
    startEtcd(guard, binaries.etcd),
    freePorts(1),
  ])
  const parts: Parts = { guard, binaries, options, credentials, etcd, port }
  let apiServer = await launchApiServer(parts)
  const certificateAuthorityFile = join(certificateFolder(guard), 'apiserver.crt')
  const access: ApiAccess = {
    url: `https://127.0.0.1:${port}`,
    token: credentials.tokens.get(ADMIN.name) ?? '',
    certificateAuthority: await readFile(certificateAuthorityFile, 'utf8'),
  }
  return {
    ...reachControlPlane({
      url: access.url,
      port,
      adminToken: access.token,
      certificateAuthority: access.certificateAuthority,
      certificateAuthorityFile,
      kubeconfig: await writeKubeconfig(join(guard.folder, 'kubeconfig'), access, ADMIN.name),
      folder: guard.folder,
      auditLog: auditFiles(guard).logFile,
      serviceAccountKey: credentials.signingKey,
      tokens: Object.fromEntries(credentials.tokens),
      kubectlPath: binaries.kubectl,
    }),
    killApiServer: () => apiServer.kill(),
    startApiServer: async () => {
      if (!apiServer.hasExited()) throw new Error('the API server runs already')
      apiServer = await launchApiServer(parts)
    },
    compactEtcd: etcd.compact,
  }
}

async function launchApiServer(parts: Parts): Promise<BackgroundProcess> {
  const { guard, options, credentials } = parts
  const audit = options.audit === 'off' ? undefined : auditFiles(guard)
  if (audit !== undefined) {
    await mkdir(join(guard.folder, 'audit'), { recursive: true })
    await writeFile(audit.policyFile, JSON.stringify(options.audit ?? DEFAULT_AUDIT_POLICY))
  }
  const process = await startProcess(guard, {
    name: 'kube-apiserver',
    program: parts.binaries['kube-apiserver'],
    logsTo: 'file',
    args: renderApiServerFlags({
      port: parts.port,
      etcdUrl: parts.etcd.url,
      certificateFolder: certificateFolder(guard),
      credentials,
      audit,
      watchCache: options.watchCache ?? true,
      extraFlags: options.apiServerFlags ?? [],
    }),
  })
  await untilServing(process, START_TIMEOUT_MS, () => isReady(parts))
  return process
}

async function isReady({ guard, credentials, port }: Parts): Promise<boolean> {
  try {
    // The server writes its certificate while it starts.
    const certificateAuthority = await readFile(join(certificateFolder(guard), 'apiserver.crt'), 'utf8')
    const token = credentials.tokens.get(ADMIN.name) ?? ''
    const access = { url: `https://127.0.0.1:${port}`, token, certificateAuthority }
    if ((await callApi(access, { path: '/readyz' })).status !== 200) return false
    // Made by a controller of the server itself, for which its readiness does not wait.
    return (await callApi(access, { path: '/api/v1/namespaces/default' })).status === 200
  } catch {
    return false
  }
}

function certificateFolder(guard: Guard): string {
  return join(guard.folder, 'certificates')
}

function auditFiles(guard: Guard): { readonly policyFile: string; readonly logFile: string } {
  return { policyFile: join(guard.folder, 'audit', 'policy.json'), logFile: join(guard.folder, 'audit', 'audit.log') }
}
