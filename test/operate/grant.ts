import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import { untilAllowed } from '#test/collect/observer.ts'
import type { Rule } from '#test/deploy/rights.ts'

const FOLDER = resolve(import.meta.dirname, '..', '..', 'deploy', 'operate')
export const OPERATE_FILES = ['role.yaml', 'listeners.yaml', 'secrets.yaml', 'exec.yaml'] as const
export type OperateFile = (typeof OPERATE_FILES)[number]

type ClusterRole = { readonly metadata: { readonly name: string }; readonly rules: readonly Rule[] }

export function readRole(file: OperateFile): ClusterRole {
  return parse(readFileSync(resolve(FOLDER, file), 'utf8')) as ClusterRole
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/** Installs a role of deploy/operate and binds it in a namespace, as its comment says. */
export async function grant(
  cluster: ControlPlane,
  file: OperateFile,
  to: { readonly name: string; readonly namespace: string; readonly in: string },
): Promise<void> {
  const role = readRole(file)
  const made = await cluster.call({ method: 'POST', path: `${RBAC}/clusterroles`, body: role })
  if (made.status !== 201 && made.status !== 409) throw new Error(made.text)
  const { name } = role.metadata
  await cluster.callOk({
    method: 'POST',
    path: `${RBAC}/namespaces/${to.in}/rolebindings`,
    body: {
      metadata: { name: `${name}-${to.name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: to.name, namespace: to.namespace }],
    },
  })
  const [{ apiGroups, resources, verbs } = { apiGroups: [], resources: [], verbs: [] }] = role.rules
  const right = { group: apiGroups[0] ?? '', resource: resources[0] ?? '', verb: verbs[0] ?? '' }
  await untilAllowed(cluster, to, { grant: right, namespace: to.in })
}
