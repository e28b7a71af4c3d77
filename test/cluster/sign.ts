import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Volume, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import type { NodeCluster } from './cluster.ts'

/** A signal that a container waits for, so that the test and not a timer decides when it continues. */
export interface Sign {
  /** For the spec and the container of the pod. */
  readonly volumes: Volume[]
  readonly volumeMounts: VolumeMount[]
  /** A shell command that returns when the signal is given. */
  readonly awaited: string
  readonly give: () => Promise<void>
}

export async function makeSign({ folder }: NodeCluster): Promise<Sign> {
  const path = await mkdtemp(join(folder, 'sign-'))
  return {
    volumes: [{ name: 'sign', hostPath: { path, type: 'Directory' } }],
    volumeMounts: [{ name: 'sign', mountPath: '/sign', readOnly: true }],
    awaited: 'until [ -e /sign/given ]; do sleep 0.1; done',
    give: () => writeFile(join(path, 'given'), ''),
  }
}
