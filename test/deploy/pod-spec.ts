import type { Manifest } from './render.ts'

export type PodSpec = {
  readonly containers: readonly {
    readonly image: string
    readonly args: readonly string[]
    readonly securityContext: object
    readonly env?: readonly { readonly name: string; readonly value?: string }[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
  }[]
  readonly volumes: readonly { readonly name: string; readonly hostPath?: { readonly path: string } }[]
  readonly securityContext: object
  readonly priorityClassName?: string
}

/** Of a Deployment or a DaemonSet. */
export function podSpec(manifest: Manifest): PodSpec {
  const { spec } = manifest as unknown as { readonly spec: { readonly template: { readonly spec: PodSpec } } }
  return spec.template.spec
}
