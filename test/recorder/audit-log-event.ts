/** An audit event as an API server writes it. */
export type EventWish = {
  readonly at: number
  readonly verb?: string
  readonly pod?: string
  readonly namespace?: string
  readonly objectRef?: object
  readonly stage?: string
  /** The time of the request, if it was long before. */
  readonly askedAt?: number
  readonly requestObject?: object
}

export function auditLogEvent(wish: EventWish): Readonly<Record<string, unknown>> {
  const { at, askedAt = at, verb = 'delete', stage = 'ResponseComplete', namespace = 'runners', pod = 'a' } = wish
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Request',
    auditID: `${String(at).padStart(16, '0')}-4782-4323-9774-${pod.padStart(12, '0')}`,
    stage,
    requestURI: `/api/v1/namespaces/${namespace}/pods/${pod}`,
    verb,
    user: { username: 'system:serviceaccount:ci:reaper', groups: ['system:serviceaccounts', 'system:authenticated'] },
    sourceIPs: ['10.0.0.9'],
    userAgent: 'kubectl/v1.34.0',
    objectRef: wish.objectRef ?? { resource: 'pods', namespace, name: pod, apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    ...(wish.requestObject === undefined ? {} : { requestObject: wish.requestObject }),
    requestReceivedTimestamp: new Date(askedAt).toISOString(),
    stageTimestamp: new Date(at).toISOString(),
  }
}
