import type { CredentialFiles } from './credentials.ts'

export interface ApiServerSettings {
  readonly port: number
  readonly etcdUrl: string
  readonly certificateFolder: string
  readonly credentials: Pick<CredentialFiles, 'tokenFile' | 'signingKey' | 'verificationKey'>
  readonly audit: { readonly policyFile: string; readonly logFile: string } | undefined
  /** False: every read goes to etcd, and a watch from a revision that was compacted gets 410. */
  readonly watchCache: boolean
  readonly extraFlags: readonly string[]
}

export function renderApiServerFlags(settings: ApiServerSettings): readonly string[] {
  const { credentials, audit } = settings
  return [
    `--etcd-servers=${settings.etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${settings.port}`,
    `--cert-dir=${settings.certificateFolder}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${credentials.verificationKey}`,
    `--service-account-signing-key-file=${credentials.signingKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--token-auth-file=${credentials.tokenFile}`,
    // Where its kubelet listens.
    '--kubelet-preferred-address-types=InternalIP',
    '--allow-privileged=true',
    // Loopback, so that a machine without a network will do; it may not be an endpoint of the service, so there is none.
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--watch-cache=${settings.watchCache}`,
    ...(audit === undefined ? [] : auditFlags(audit)),
    ...settings.extraFlags,
  ]
}

function auditFlags(audit: { readonly policyFile: string; readonly logFile: string }): readonly string[] {
  // Blocking: the line is in the file before the client has its answer, so that tests need not wait for it.
  return [`--audit-policy-file=${audit.policyFile}`, `--audit-log-path=${audit.logFile}`, '--audit-log-mode=blocking']
}

/** Everything, with the objects of what changes; reads and leases by their metadata, or the log is mostly them. */
export const DEFAULT_AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*'] },
    { level: 'Metadata', verbs: ['get', 'list', 'watch'] },
    { level: 'Metadata', resources: [{ group: 'coordination.k8s.io' }, { group: '', resources: ['secrets'] }] },
    { level: 'RequestResponse' },
  ],
} as const
