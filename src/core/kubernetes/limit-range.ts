import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { Amounts } from './quantity.ts'
import { addAmounts, formatAmount, readAmounts } from './quantity.ts'

/** What a LimitRange does at admission: it fills in missing values and refuses values outside its bounds. */
export type LimitRange = {
  readonly namespace: string
  readonly name: string
  readonly limits: readonly {
    readonly type: string
    readonly max: Amounts
    readonly min: Amounts
    readonly limit: Amounts
    readonly request: Amounts
  }[]
}

export function readLimitRange(object: Fields): LimitRange {
  return {
    namespace: textAt(object, 'metadata', 'namespace') ?? 'default',
    name: textAt(object, 'metadata', 'name') ?? '',
    limits: listAt(object, 'spec', 'limits').map((limit) => ({
      type: textAt(limit, 'type') ?? '',
      max: readAmounts(toFields(at(limit, 'max'))),
      min: readAmounts(toFields(at(limit, 'min'))),
      limit: readAmounts(toFields(at(limit, 'default'))),
      request: readAmounts(toFields(at(limit, 'defaultRequest'))),
    })),
  }
}

/** The spec after admission, with the defaults filled in. */
export function withDefaults(spec: Fields, ranges: readonly LimitRange[]): Fields {
  const defaults = ranges.flatMap(({ limits }) => limits.filter(({ type }) => type === 'Container'))
  if (defaults.length === 0) return spec
  const filled = (list: string): readonly unknown[] =>
    listAt(spec, list).map((container) => {
      const limits = filledIn(toFields(at(container, 'resources', 'limits')), ...defaults.map(({ limit }) => limit))
      const requests = filledIn(
        // A limit without a request becomes the request, ahead of the default one.
        { ...limits.given, ...toFields(at(container, 'resources', 'requests')) },
        ...defaults.map(({ request }) => request),
      )
      return Object.assign({}, container, { resources: { limits: limits.all, requests: requests.all } })
    })
  return { ...spec, containers: filled('containers'), initContainers: filled('initContainers') }
}

function filledIn(given: Fields, ...defaults: readonly Amounts[]): { readonly given: Fields; readonly all: Fields } {
  const all: Record<string, unknown> = { ...given }
  for (const amounts of defaults) for (const [name, amount] of amounts) all[name] ??= amount
  return { given, all }
}

/** Why the pod would be refused, for people; empty if it would be admitted. */
export function refusalsBy({ name, limits }: LimitRange, spec: Fields): readonly string[] {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  const main = listAt(spec, 'containers')
  return limits.flatMap((range) => {
    switch (range.type) {
      case 'Container':
        return containers.flatMap((container) =>
          outside(range, containerAmounts(container), `container ${textAt(container, 'name') ?? ''}`, name),
        )
      case 'Pod':
        return outside(
          range,
          {
            requests: addAmounts(...main.map((container) => containerAmounts(container).requests)),
            limits: addAmounts(...main.map((container) => containerAmounts(container).limits)),
          },
          'the pod',
          name,
        )
      default:
        return []
    }
  })
}

type Asked = { readonly requests: Amounts; readonly limits: Amounts }

function containerAmounts(container: unknown): Asked {
  const limits = readAmounts(toFields(at(container, 'resources', 'limits')))
  return { limits, requests: new Map([...limits, ...readAmounts(toFields(at(container, 'resources', 'requests')))]) }
}

function outside(
  { max, min }: LimitRange['limits'][number],
  { requests, limits }: Asked,
  who: string,
  range: string,
): readonly string[] {
  const over = [...max].flatMap(([name, most]) => {
    const asked = Math.max(limits.get(name) ?? 0, requests.get(name) ?? 0)
    return asked > most
      ? [`${who} requests ${formatAmount(name, asked)} ${name}, LimitRange ${range} allows ${formatAmount(name, most)}`]
      : []
  })
  const under = [...min].flatMap(([name, least]) => {
    const asked = requests.get(name)
    return asked !== undefined && asked < least
      ? [
          `${who} requests ${formatAmount(name, asked)} ${name}, LimitRange ${range} requires at least ${formatAmount(name, least)}`,
        ]
      : []
  })
  return [...over, ...under]
}
