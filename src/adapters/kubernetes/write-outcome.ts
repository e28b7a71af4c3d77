import { blind } from '#/core/basics/observed.ts'
import type { WriteOutcome } from '#/ports/kubernetes.ts'
import { withoutBulk } from '#/ports/kubernetes-object.ts'
import { parseObject } from './parse-object.ts'
import type { JsonRecord } from './record.ts'
import type { Declined, Reply } from './reply.ts'
import type { Status } from './status.ts'

/** The request was understood and is not acceptable. */
const REFUSALS: ReadonlySet<number> = new Set([400, 405, 413, 415, 422])
/** Whoever answers so, the API server or a proxy before it, has not begun to act. */
const NOT_BEGUN: ReadonlySet<number> = new Set([...REFUSALS, 401, 403, 404, 406, 407, 429])

export function toOutcome(reply: Reply, what: string): WriteOutcome {
  switch (reply.kind) {
    case 'blind':
      return { kind: 'blind', reason: reply.reason, applied: reply.sent ? 'unknown' : 'no' }
    case 'declined':
      return declinedOutcome(reply)
    case 'ok':
      return doneOutcome(reply.value, what)
  }
}

/** The server did it, whatever shape its answer has. A Status instead of the object is usual for deletions. */
function doneOutcome(value: JsonRecord, what: string): WriteOutcome {
  if (value['kind'] === 'Status' && value['status'] === 'Success') return { kind: 'done', object: null }
  const object = parseObject(value)
  if (typeof object === 'string') {
    const { reason } = blind('malformed', `${what}: ${object} has another shape`)
    return { kind: 'blind', reason, applied: 'unknown' }
  }
  return { kind: 'done', object: withoutBulk(object) }
}

/** Without a Status it is not the API server that speaks: then nothing is known of the object. */
function declinedOutcome({ http, status, reason }: Declined): WriteOutcome {
  const statement = status === null ? null : readStatus(http, status)
  return statement ?? { kind: 'blind', reason, applied: NOT_BEGUN.has(http) ? 'no' : 'unknown' }
}

function readStatus(http: number, status: Status): WriteOutcome | null {
  const { message, reason, causes } = status
  switch (http) {
    case 403:
      return { kind: 'forbidden', message }
    case 404:
      return { kind: 'gone' }
    case 409:
      return { kind: 'conflict', why: reason === 'AlreadyExists' ? 'exists' : 'changed', message }
    case 422:
      return isOtherObject(status) ? { kind: 'conflict', why: 'changed', message } : { kind: 'refused', message }
    case 429:
      return causes.some((cause) => cause.reason === 'DisruptionBudget') ? { kind: 'refused', message } : null
    default:
      return REFUSALS.has(http) ? { kind: 'refused', message } : null
  }
}

/** So the server answers a patch whose UID is not that of the object: a precondition that does not hold. */
function isOtherObject({ causes }: Status): boolean {
  return causes.some(({ field }) => field === 'metadata.uid')
}
