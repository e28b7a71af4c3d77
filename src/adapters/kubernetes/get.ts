import type { Observed } from '#/core/basics/observed.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { GetRequest } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutBulk } from '#/ports/kubernetes-object.ts'
import { apiPath } from './api-path.ts'
import { parseObject } from './parse-object.ts'
import type { Declined } from './reply.ts'
import { interpret, toBlind } from './reply.ts'
import type { Transport } from './transport.ts'

export async function get(
  transport: Transport,
  request: GetRequest,
  signal: AbortSignal,
): Promise<Observed<KubeObject>> {
  const path = apiPath(request)
  const what = `GET ${path}`
  const reply = interpret(await transport.exchange({ method: 'GET', path }, signal), what)
  if (reply.kind === 'declined' && saysAbsent(reply)) return none()
  if (reply.kind !== 'ok') return toBlind(reply)
  const object = parseObject(reply.value)
  if (typeof object === 'string') return blind('malformed', `${what}: ${object} has another shape`)
  if (object.metadata.name !== request.name) return blind('malformed', `${what}: the answer is another object`)
  return seen((request.trim ?? withoutBulk)(object))
}

/**
 * The server names the object that is missing. A kind that it does not serve is a 404 too, without a name, and so is the
 * answer of a node that it asked, which is about a subresource: a kubelet that has just begun knows none of its pods.
 */
export function saysAbsent({ http, status }: Declined): boolean {
  const about = status?.about ?? null
  return http === 404 && status?.reason === 'NotFound' && about !== null && !about.kind.includes('/')
}
