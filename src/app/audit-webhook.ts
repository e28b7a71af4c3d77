import { createAuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import type { AuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import { auditLogWebhook } from '#/server/audit-log-webhook.ts'
import { openAuditToken, openWebhookGuard } from './guards.ts'
import type { JudgingPart } from './judging-threads.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'
import { watchedNamespaces } from '#/app/part/watched-namespaces.ts'

export type AuditWebhookPart = Part & {
  /** What the API server sends here; null where nobody may send. */
  readonly receiver: AuditLogReceiver | null
}

/** `/v1/audit`, for an API server that shows the token. */
export async function openAuditWebhook(
  means: PartMeans & Pick<JudgingPart, 'readAuditEvents'>,
): Promise<AuditWebhookPart> {
  const { config, clock, log, metrics } = means
  const token = await openAuditToken(config.audit.tokenFile)
  const namespaces = watchedNamespaces(config)
  const receiver =
    token === null ? null : createAuditLogReceiver(namespaces === null ? null : new Set(namespaces), clock, { log })
  const events = metrics.counter('signalbox_audit_events_total', 'Audit events that the API server sent, by outcome.')
  const webhook = auditLogWebhook({
    guard: openWebhookGuard(token, means),
    take: (sent) => receiver?.take(sent) ?? null,
    parse: means.readAuditEvents,
    received: ({ kept, passed }) => {
      events.add(kept, { outcome: 'kept' })
      events.add(passed, { outcome: 'passed' })
    },
  })
  return { routes: [{ path: '/v1/audit', handler: webhook }], receiver, dispose: nothingToDispose }
}
