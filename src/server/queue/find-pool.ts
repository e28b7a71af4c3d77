import type { DispatchNow } from '#/runtime/own-pools/observe-dispatch.ts'
import type { Problem } from '#/server/request/problem.ts'

type Found = { readonly kind: 'scope'; readonly scope: string | undefined }

const MOST_NAMED = 10

/** The scope of `NAMESPACE/NAME`, or of the one pool of this name: an empty answer to a wrong name looks like good news. */
export function findPool(asked: string | undefined, { declared }: Pick<DispatchNow, 'declared'>): Found | Problem {
  if (asked === undefined || asked.includes('/')) return { kind: 'scope', scope: asked }
  const scopes = declared.kind === 'seen' ? declared.value.map(({ scope }) => scope) : []
  const fitting = scopes.filter((scope) => scope.endsWith(`/${asked}`))
  if (fitting.length === 1) return { kind: 'scope', scope: fitting[0] }
  const named = fitting.length > 1 ? fitting : scopes
  return {
    status: fitting.length > 1 ? 409 : 404,
    detail: fitting.length > 1 ? `several pools are named ${asked}` : `no pool is named ${asked}`,
    advice: [
      'write NAMESPACE/NAME',
      ...(named.length === 0 ? [] : [`pools: ${named.slice(0, MOST_NAMED).join(', ')}`]),
    ],
  }
}
