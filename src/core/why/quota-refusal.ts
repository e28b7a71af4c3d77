import { parseQuantity } from '#/core/kubernetes/quantity.ts'

export type TooMuch = { readonly resource: string; readonly requested: string; readonly limited: string }

const REFUSAL = /requested: (?<requested>\S{1,500}), used: \S{1,500}, limited: (?<limited>\S{1,500})/

/** What one pod alone requests beyond the whole quota: waiting for other pods to end never helps. */
export function beyondWhole(text: string): TooMuch | null {
  const { requested = '', limited = '' } = REFUSAL.exec(text)?.groups ?? {}
  const limits = amountsIn(limited)
  for (const [resource, asked] of amountsIn(requested)) {
    const limit = limits.get(resource)
    if (limit !== undefined && (parseQuantity(asked) ?? 0) > (parseQuantity(limit) ?? Infinity))
      return { resource, requested: asked, limited: limit }
  }
  return null
}

function amountsIn(list: string): ReadonlyMap<string, string> {
  return new Map(
    list.split(',').flatMap((one) => {
      const [resource, amount] = one.split('=')
      return resource === undefined || amount === undefined ? [] : [[resource, amount] as const]
    }),
  )
}
