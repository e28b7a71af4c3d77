import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { Amounts } from './quantity.ts'
import { addAmounts, largerAmounts, readAmounts } from './quantity.ts'

/** Overhead by the name of the RuntimeClass. */
export type Overheads = ReadonlyMap<string, Amounts>

export function readOverheads(runtimeClasses: readonly Fields[]): Overheads {
  return new Map(
    runtimeClasses.flatMap((object) => {
      const name = textAt(object, 'metadata', 'name')
      return name === null ? [] : [[name, readAmounts(toFields(at(object, 'overhead', 'podFixed')))] as const]
    }),
  )
}

/**
 * What the scheduler reserves for a pod: containers plus sidecars, or its largest init container plus the sidecars that
 * run by then, plus the overhead of its runtime. A limit without a request is the request.
 */
export function podRequests(spec: unknown, overheads: Overheads): Amounts {
  if (typeof spec !== 'object' || spec === null) return readRequests(spec, overheads)
  const known = reckoned.get(overheads) ?? new WeakMap<object, Amounts>()
  reckoned.set(overheads, known)
  const requests = known.get(spec) ?? readRequests(spec, overheads)
  known.set(spec, requests)
  return requests
}

/** Cached: several audits need it for each of 50,000 pods. */
const reckoned = new WeakMap<Overheads, WeakMap<object, Amounts>>()

function readRequests(spec: unknown, overheads: Overheads): Amounts {
  let sidecars: Amounts = new Map()
  let largestInit: Amounts = new Map()
  for (const container of listAt(spec, 'initContainers')) {
    const own = containerRequests(container)
    if (textAt(container, 'restartPolicy') === 'Always') {
      sidecars = addAmounts(sidecars, own)
      largestInit = largerAmounts(largestInit, sidecars)
    } else largestInit = largerAmounts(largestInit, addAmounts(sidecars, own))
  }
  const together = addAmounts(sidecars, ...listAt(spec, 'containers').map(containerRequests))
  return addAmounts(largerAmounts(largestInit, together), readOverhead(spec, overheads), new Map([['pods', 1]]))
}

function readOverhead(spec: unknown, overheads: Overheads): Amounts {
  const own = readAmounts(toFields(at(spec, 'overhead')))
  if (own.size > 0) return own
  return overheads.get(textAt(spec, 'runtimeClassName') ?? '') ?? new Map()
}

function containerRequests(container: unknown): Amounts {
  const limits = readAmounts(toFields(at(container, 'resources', 'limits')))
  const requests = readAmounts(toFields(at(container, 'resources', 'requests')))
  return new Map([...limits, ...requests])
}

/** What a quota on `limits.*` counts. */
export function podLimits(spec: unknown, overheads: Overheads): Amounts {
  const limits = listAt(spec, 'containers').map((container) =>
    readAmounts(toFields(at(container, 'resources', 'limits'))),
  )
  const sidecars = listAt(spec, 'initContainers')
    .filter((container) => textAt(container, 'restartPolicy') === 'Always')
    .map((container) => readAmounts(toFields(at(container, 'resources', 'limits'))))
  return addAmounts(...limits, ...sidecars, readOverhead(spec, overheads))
}
