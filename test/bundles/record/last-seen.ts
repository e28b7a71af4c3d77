import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import type { PodName } from '#test/cluster/pods.ts'

export type LastSeen = {
  /** Writes the pod as the watch saw it last, as `kubectl get pod -o json` would have printed it. */
  readonly keep: (file: string) => Promise<string>
  readonly stop: () => void
}

/** Follows a pod to its end, like `kubectl get -w`. */
export function watchPod(cluster: ControlPlane, { namespace, name }: PodName): LastSeen {
  let last: unknown = null
  const query = `watch=1&fieldSelector=metadata.name%3D${name}`
  const watching = request(
    new URL(`/api/v1/namespaces/${namespace}/pods?${query}`, cluster.url),
    { ca: cluster.certificateAuthority, agent: false, headers: { authorization: `Bearer ${cluster.adminToken}` } },
    (incoming: IncomingMessage) => {
      const lines = createInterface({ input: incoming })
      lines.on('line', (line) => {
        last = (JSON.parse(line) as { readonly object: unknown }).object
      })
      for (const stream of [incoming, lines]) stream.on('error', () => undefined)
    },
  )
  // The watch ends with the cluster, or by `stop`.
  watching.on('error', () => undefined)
  watching.end()
  return {
    keep: async (file) => {
      if (last === null) throw new Error(`the watch saw nothing of ${namespace}/${name}`)
      await writeFile(file, `${JSON.stringify(last, null, 2)}\n`)
      return file
    },
    stop: () => void watching.destroy(),
  }
}
