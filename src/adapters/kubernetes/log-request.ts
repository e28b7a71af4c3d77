import type { LogRequest } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { apiPath } from './api-path.ts'
import type { Call } from './transport.ts'

export type LogOptions = {
  readonly follow?: boolean
  readonly previous?: boolean
  readonly tailLines?: number
  /** RFC 3339; goes before the request's own. */
  readonly sinceTime?: string
}

/** With the node's times of writing: evidence without a time can hardly be placed. */
export function logCall({ namespace, pod, container, since }: LogRequest, options: LogOptions): Call {
  const path = apiPath({ resource: RESOURCES.pods, namespace, name: pod, subresource: 'log' })
  const query = {
    container,
    timestamps: 'true',
    follow: options.follow === true ? 'true' : undefined,
    previous: options.previous === true ? 'true' : undefined,
    tailLines: options.tailLines === undefined ? undefined : String(options.tailLines),
    sinceTime: options.sinceTime ?? (since === undefined ? undefined : new Date(since).toISOString()),
  }
  return { method: 'GET', path, query }
}
