import type { ControlPlane } from '#test/cluster/control-plane.ts'
import { until } from '#test/cluster/until.ts'

const CRD = 'autoscalingrunnersets.actions.github.com'

/** The kind as ARC installs it, without its schema, and one object in the default namespace. */
export async function installScaleSet({ call, callOk }: ControlPlane): Promise<void> {
  const names = { plural: 'autoscalingrunnersets', singular: 'autoscalingrunnerset', kind: 'AutoscalingRunnerSet' }
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const version = { name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema } }
  await callOk({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: CRD },
      spec: { group: 'actions.github.com', scope: 'Namespaced', names, versions: [version] },
    },
  })
  const set = {
    apiVersion: 'actions.github.com/v1alpha1',
    kind: 'AutoscalingRunnerSet',
    metadata: { name: 'linux', labels: { 'app.kubernetes.io/version': '0.14.2' } },
  }
  await until({
    what: 'the API server to serve scale sets',
    timeoutMs: 60_000,
    probe: async () => {
      const path = '/apis/actions.github.com/v1alpha1/namespaces/default/autoscalingrunnersets'
      const { status } = await call({ method: 'POST', path, body: set })
      return status === 201 ? true : undefined
    },
  })
  await until({
    what: 'the group to be listed',
    timeoutMs: 60_000,
    probe: async () => ((await call({ path: '/apis' })).text.includes('actions.github.com') ? true : undefined),
  })
}
