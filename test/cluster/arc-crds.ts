import type { ControlPlane } from './control-plane.ts'
import { until } from './until.ts'

/** A kind that somebody installs, without its schema: any field is kept as it is given. */
export interface CustomKind {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
}

function arcKind(kind: string): CustomKind {
  return { group: 'actions.github.com', version: 'v1alpha1', plural: `${kind.toLowerCase()}s`, kind }
}

/** ARC's four kinds, all namespaced and all with a status subresource. */
export const ARC_KINDS = {
  autoscalingRunnerSet: arcKind('AutoscalingRunnerSet'),
  autoscalingListener: arcKind('AutoscalingListener'),
  ephemeralRunnerSet: arcKind('EphemeralRunnerSet'),
  ephemeralRunner: arcKind('EphemeralRunner'),
} as const

export async function installArc(cluster: ControlPlane): Promise<void> {
  await installKinds(cluster, Object.values(ARC_KINDS))
}

/** Returns when the API server serves them and lists their groups. */
export async function installKinds(cluster: ControlPlane, kinds: readonly CustomKind[]): Promise<void> {
  for (const kind of kinds) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await cluster.callOk({ method: 'POST', path, body: buildDefinition(kind) })
  }
  for (const kind of kinds) await untilServed(cluster, kind)
}

function buildDefinition({ group, version, plural, kind }: CustomKind): object {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
      ],
    },
  }
}

async function untilServed({ call }: ControlPlane, { group, version, plural }: CustomKind): Promise<void> {
  await until({
    what: `the API server to serve ${plural}.${group}`,
    timeoutMs: 60_000,
    probe: async () => {
      const list = await call({ path: `/apis/${group}/${version}/${plural}` })
      const groups = await call({ path: '/apis' })
      return list.status === 200 && groups.text.includes(`"${group}"`) ? true : undefined
    },
  })
}

export interface CustomObject {
  readonly namespace: string
  readonly name: string
  readonly metadata?: object
  readonly spec?: object
  /** Written by a separate request, as ARC does. */
  readonly status?: object
}

export async function createObject(
  { callOk }: ControlPlane,
  { group, version, plural, kind }: CustomKind,
  { namespace, name, metadata = {}, spec = {}, status }: CustomObject,
): Promise<void> {
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`
  const body = { apiVersion: `${group}/${version}`, kind, metadata: { ...metadata, name, namespace }, spec }
  await callOk({ method: 'POST', path, body })
  if (status === undefined) return
  const contentType = 'application/merge-patch+json'
  await callOk({ method: 'PATCH', path: `${path}/${name}/status`, contentType, body: { status } })
}
