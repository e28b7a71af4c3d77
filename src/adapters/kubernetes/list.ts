import type { Blind, Observed } from '#/core/basics/observed.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { ListRequest, ObjectList } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutBulk } from '#/ports/kubernetes-object.ts'
import { apiPath } from './api-path.ts'
import { readPage } from './list-page.ts'
import type { Declined } from './reply.ts'
import { interpret } from './reply.ts'
import type { Transport } from './transport.ts'
import type { Tuning } from './tuning.ts'

export type ListMeans = { readonly transport: Transport; readonly tuning: Tuning }
export type Complete = ObjectList & { readonly kind: 'complete' }

export async function list(means: ListMeans, request: ListRequest, signal: AbortSignal): Promise<Observed<ObjectList>> {
  const read = await readWhole(means, request, signal)
  if (read.kind !== 'complete') return { kind: 'blind', reason: read.reason }
  const { items, resourceVersion } = read
  return items.length === 0 ? none() : seen({ items, resourceVersion })
}

/** All pages of one version. If the server forgets that version on the way, once more from the start. */
export async function readWhole(
  means: ListMeans,
  request: ListRequest,
  signal: AbortSignal,
): Promise<Complete | Declined | Blind> {
  const first = await readPages(means, request, signal)
  const forgotten = first.kind === 'declined' && first.http === 410
  return forgotten ? await readPages(means, request, signal) : first
}

async function readPages(
  { transport, tuning }: ListMeans,
  request: ListRequest,
  signal: AbortSignal,
): Promise<Complete | Declined | Blind> {
  const path = apiPath(request)
  const what = `GET ${path}`
  const items: KubeObject[] = []
  let next: string | undefined
  for (let pages = 0; pages < tuning.maxPages && items.length <= tuning.maxItems; pages += 1) {
    const query = {
      limit: String(Math.min(request.pageSize ?? tuning.pageSize, tuning.pageSize)),
      continue: next,
      labelSelector: request.labelSelector,
      fieldSelector: request.fieldSelector,
    }
    const reply = interpret(await transport.exchange({ method: 'GET', path, query }, signal), what)
    if (reply.kind !== 'ok') return reply
    const page = readPage(reply.value, request.trim ?? withoutBulk, what)
    if (page.kind === 'blind') return page
    for (const item of page.items) items.push(item)
    if (page.next === null && items.length <= tuning.maxItems) {
      return { kind: 'complete', items, resourceVersion: page.resourceVersion }
    }
    next = page.next ?? undefined
  }
  return blind('too-large', `${what}: more than ${tuning.maxItems} objects or ${tuning.maxPages} pages`)
}
