import { isoTime, json, notFound, refusal } from '#/sim/github/render/answers.ts'
import type { Context } from './context.ts'
import { linkTo, linkHeader, perPage } from './pagination.ts'
import type { Call, Route } from './router.ts'
import { idParam } from './router.ts'
import type { Schema } from '#/sim/github/render/schemas.ts'
import type { LoggedDelivery } from '#/sim/github/world/webhooks.ts'

const APP = { kind: 'app' } as const
const DELIVERIES = '/app/hook/deliveries'

export function deliveryRoutes(context: Context): readonly Route[] {
  return [
    { method: 'GET', path: DELIVERIES, access: APP, answer: (call) => list(context, call) },
    {
      method: 'GET',
      path: `${DELIVERIES}/{delivery_id}`,
      access: APP,
      answer: (call) => {
        const id = idParam(call, 'delivery_id')
        const found = context.webhooks.log().find((delivery) => delivery.id === id)
        return found === undefined ? notFound() : json(200, renderWhole(found, context.app.webhook?.url ?? ''))
      },
    },
    {
      method: 'POST',
      path: `${DELIVERIES}/{delivery_id}/attempts`,
      access: APP,
      answer: (call) => (context.webhooks.redeliver(idParam(call, 'delivery_id')) ? json(202, {}) : notFound()),
    },
  ]
}

/** Pages by cursor: what arrives meanwhile does not shift them. */
function list(context: Context, call: Call): Response {
  const { searchParams } = call.url
  const wanted = context.webhooks.log().filter((delivery) => hasOutcome(delivery, searchParams.get('status')))
  const cursor = searchParams.get('cursor')
  const start = cursor === null ? 0 : wanted.findIndex((delivery) => deliveryCursor(delivery) === cursor)
  if (start < 0) return refusal(400, 'Invalid cursor')
  const size = perPage(searchParams)
  const next = wanted[start + size]
  const link = next === undefined ? null : linkTo(call.url, 'next', { cursor: deliveryCursor(next) })
  return json(200, wanted.slice(start, start + size).map(renderItem), linkHeader(link))
}

function deliveryCursor(delivery: LoggedDelivery): string {
  return `v1_${delivery.id}`
}

function hasOutcome(delivery: LoggedDelivery, status: string | null): boolean {
  if (status === 'success') return delivery.statusCode >= 200 && delivery.statusCode < 400
  return status !== 'failure' || delivery.statusCode >= 400
}

function renderItem(delivery: LoggedDelivery) {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: isoTime(delivery.deliveredAt),
    redelivery: delivery.redelivery,
    duration: delivery.durationSeconds,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installation,
    repository_id: delivery.repository,
    throttled_at: null,
  } satisfies Schema<'hook-delivery-item'>
}

function renderWhole(delivery: LoggedDelivery, url: string) {
  return {
    ...renderItem(delivery),
    url,
    request: { headers: delivery.headers, payload: delivery.payload },
    response: { headers: {}, payload: delivery.response },
  } satisfies Schema<'hook-delivery'>
}
