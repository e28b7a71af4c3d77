import type { HttpStream } from '#/adapters/http/exchange.ts'
import type { Silence } from '#/adapters/http/read-until-silent.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import { blind } from '#/core/basics/observed.ts'
import { declinedStream } from './declined-stream.ts'
import { saysAbsent } from './get.ts'
import { isHtml } from './is-html.ts'
import type { Declined } from './reply.ts'

/** Why there is no log to read. */
export type LogRefusal =
  /** The container has not begun, or has no incarnation before this one. */
  | { readonly kind: 'nothing-yet' }
  | { readonly kind: 'pod-gone' }
  | { readonly kind: 'blind'; readonly reason: BlindReason }

/** The API server has no reason codes for these. */
const NOTHING_YET = /is waiting to start|previous terminated container .+ not found/u

export function isLog(stream: HttpStream): boolean {
  return stream.status === 200 && !isHtml(stream)
}

export async function readLogRefusal(stream: HttpStream, what: string, silence: Silence): Promise<LogRefusal> {
  // A pod without a node.
  if (stream.status === 204) return { kind: 'nothing-yet' }
  if (stream.status === 200) return blind('malformed', `${what}: an HTML page, perhaps from a proxy`)
  return classify(await declinedStream(stream, what, silence), what)
}

function classify(refusal: Declined, what: string): LogRefusal {
  if (saysAbsent(refusal)) return { kind: 'pod-gone' }
  if (refusal.http === 404 && refusal.status !== null) {
    return blind('server-error', `${what}: the node does not know this pod, perhaps not yet`)
  }
  if (refusal.http === 400 && NOTHING_YET.test(refusal.status?.message ?? '')) return { kind: 'nothing-yet' }
  return { kind: 'blind', reason: refusal.reason }
}

/** The kubelet says so with a success status, as the only line, when the runtime has removed the file. */
export function saysRemoved(line: string): boolean {
  return /^unable to retrieve container logs for \S+$/u.test(line.trim())
}

export function removedReason(what: string): BlindReason {
  return blind('expired', `${what}: the node no longer has this log`).reason
}
