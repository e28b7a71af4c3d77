import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { textAt } from '#/core/basics/fields.ts'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import { until } from '#test/cluster/until.ts'

/** One verb on one resource. */
export type Grant = { readonly group: string; readonly resource: string; readonly verb: string }

export function nameOfGrant({ group, resource, verb }: Grant): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}`
}

type Role = {
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

/** What a file of deploy/observe grants, one by one. */
export function readGrants(file: string): readonly Grant[] {
  const path = resolve(import.meta.dirname, '..', '..', 'deploy', 'observe', file)
  const { rules } = parse(readFileSync(path, 'utf8')) as Role
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb })))),
  )
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export type ObserverPlan = {
  readonly name: string
  readonly namespace: string
  readonly grants: readonly Grant[]
  /** Where Secrets may be read. */
  readonly secretsIn: readonly string[]
  readonly folder: string
}

/** A service account with only these rights; returns its kubeconfig once the API server grants them. */
export async function createObserver(cluster: ControlPlane, plan: ObserverPlan): Promise<string> {
  const { name, namespace, grants, secretsIn } = plan
  const { callOk } = cluster
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  await callOk({ method: 'POST', path: accounts, body: { metadata: { name } } })
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  const bind = (place: string, role: string): Promise<unknown> =>
    callOk({
      method: 'POST',
      path: `${RBAC}/${place}`,
      body: { metadata: { name: role }, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role }, subjects },
    })
  await callOk({ method: 'POST', path: `${RBAC}/clusterroles`, body: buildRole(name, grants) })
  await bind('clusterrolebindings', name)
  const secrets = `${name}-secrets`
  await callOk({ method: 'POST', path: `${RBAC}/clusterroles`, body: buildRole(secrets, readGrants('secrets.yaml')) })
  for (const place of secretsIn) await bind(`namespaces/${place}/rolebindings`, secrets)
  const [first] = grants
  if (first !== undefined) await untilAllowed(cluster, plan, { grant: first })
  for (const place of secretsIn) await untilAllowed(cluster, plan, { grant: SECRETS, namespace: place })
  return writeToken(cluster, plan)
}

const GROUP = 'rbac.authorization.k8s.io'
const SECRETS: Grant = { group: '', resource: 'secrets', verb: 'list' }

function buildRole(name: string, grants: readonly Grant[]): object {
  const rules = grants.map(({ group, resource, verb }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
  }))
  return { metadata: { name }, rules }
}

/** The API server takes a moment to notice a new binding. */
export async function untilAllowed(
  { callOk }: ControlPlane,
  { name, namespace }: Pick<ObserverPlan, 'name' | 'namespace'>,
  { grant, namespace: place }: { readonly grant: Grant; readonly namespace?: string },
): Promise<void> {
  const [resource = '', subresource] = grant.resource.split('/')
  const resourceAttributes = { group: grant.group, verb: grant.verb, resource, subresource, namespace: place }
  const body = { spec: { user: `system:serviceaccount:${namespace}:${name}`, resourceAttributes } }
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  await until({
    what: `${name} to have its rights`,
    timeoutMs: 120_000,
    probe: async () => {
      const review = (await callOk({ method: 'POST', path, body })) as {
        readonly status: { readonly allowed: boolean }
      }
      return review.status.allowed ? true : undefined
    },
  })
}

/** The kubeconfig of a service account. */
export async function writeToken(
  cluster: ControlPlane,
  { name, namespace, folder }: Pick<ObserverPlan, 'name' | 'namespace' | 'folder'>,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const answer = await cluster.callOk({ method: 'POST', path, body: { spec: { expirationSeconds: 3600 } } })
  const file = join(folder, `kubeconfig-${namespace}-${name}.json`)
  const cluster_ = { server: cluster.url, 'certificate-authority': cluster.certificateAuthorityFile }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: cluster_ }],
    users: [{ name: 'u', user: { token: textAt(answer, 'status', 'token') } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'x',
  }
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return file
}
