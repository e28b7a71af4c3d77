import { at, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'

/** A line of the API server's audit log: who requested what, when, and the result. */
export type AuditLogFacts = {
  readonly at: number | null
  readonly verb: string
  readonly user: string
  readonly userAgent: string | null
  readonly resource: string | null
  readonly subresource: string | null
  readonly namespace: string | null
  readonly name: string | null
  /** Delete lines have none in objectRef; the kubelet and the garbage collector send it as a precondition. */
  readonly uid: string | null
  readonly status: number | null
  /** The API server's answer to a request that it refused. */
  readonly refusal: string | null
  /** Null if the audit level hides it or the client gave none. */
  readonly graceSeconds: number | null
  readonly hasBody: boolean
}

/** Null for lines of other stages: each request has several, and counting them would double a delete. */
export function readAuditLogLine(line: unknown): AuditLogFacts | null {
  const stage = textAt(line, 'stage')
  if (stage !== null && stage !== 'ResponseComplete') return null
  return {
    at: timeAt(line, 'requestReceivedTimestamp') ?? timeAt(line, 'stageTimestamp'),
    verb: textAt(line, 'verb') ?? '',
    user: textAt(line, 'user', 'username') ?? '',
    userAgent: textAt(line, 'userAgent'),
    resource: textAt(line, 'objectRef', 'resource'),
    subresource: textAt(line, 'objectRef', 'subresource'),
    namespace: textAt(line, 'objectRef', 'namespace'),
    name: textAt(line, 'objectRef', 'name'),
    uid: textAt(line, 'requestObject', 'preconditions', 'uid') ?? textAt(line, 'objectRef', 'uid'),
    status: numberAt(line, 'responseStatus', 'code'),
    refusal: textAt(line, 'responseStatus', 'status') === 'Failure' ? textAt(line, 'responseStatus', 'message') : null,
    graceSeconds: numberAt(line, 'requestObject', 'gracePeriodSeconds') ?? graceInUri(textAt(line, 'requestURI')),
    hasBody: at(line, 'requestObject') !== undefined,
  }
}

function graceInUri(uri: string | null): number | null {
  const found = uri === null ? undefined : /[?&]gracePeriodSeconds=(\d+)/.exec(uri)?.[1]
  return found === undefined ? null : Number(found)
}
