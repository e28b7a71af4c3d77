import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import { meetsExpression } from './label-selector.ts'

/** Whether a pod may run on a node at all, regardless of free capacity. */
export type NodeMarks = {
  readonly name: string
  readonly labels: Fields
  readonly taints: readonly Taint[]
  readonly isCordoned: boolean
}

export type Taint = { readonly key: string; readonly value: string; readonly effect: string }

export type Misfit =
  | { readonly kind: 'selector'; readonly detail: string }
  | { readonly kind: 'taint'; readonly detail: string }
  | { readonly kind: 'cordoned'; readonly detail: string }

/** Why the pod may not run there, or null. The pod's own selectors come first: they exclude the node on purpose. */
export function findMisfit(spec: unknown, node: NodeMarks): Misfit | null {
  const unmet = unmetSelector(spec, node)
  if (unmet !== null) return { kind: 'selector', detail: unmet }
  const taint = untoleratedTaint(spec, node)
  if (taint !== null) return { kind: 'taint', detail: printTaint(taint) }
  const isTolerated = tolerates(listAt(spec, 'tolerations'), {
    key: 'node.kubernetes.io/unschedulable',
    value: '',
    effect: 'NoSchedule',
  })
  return node.isCordoned && !isTolerated ? { kind: 'cordoned', detail: 'the node is cordoned' } : null
}

export function printTaint({ key, value, effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`
}

function unmetSelector(spec: unknown, node: NodeMarks): string | null {
  for (const [key, wanted] of Object.entries(toFields(at(spec, 'nodeSelector')))) {
    if (node.labels[key] !== wanted) return `${key}=${String(wanted)}`
  }
  const terms = listAt(
    spec,
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  )
  if (terms.length === 0 || terms.some((term) => meetsTerm(term, node))) return null
  return 'no term of its required node affinity'
}

/** An empty term selects nothing, as in the scheduler. */
function meetsTerm(term: unknown, node: NodeMarks): boolean {
  const expressions = listAt(term, 'matchExpressions')
  const fields = listAt(term, 'matchFields')
  if (expressions.length + fields.length === 0) return false
  return (
    expressions.every((expression) => meetsExpression(expression, node.labels)) &&
    fields.every((expression) => meetsExpression(expression, { 'metadata.name': node.name }))
  )
}

export function untoleratedTaint(spec: unknown, { taints }: Pick<NodeMarks, 'taints'>): Taint | null {
  const tolerations = listAt(spec, 'tolerations')
  return (
    taints.find(
      (taint) =>
        (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
        // The node controller sets these on an unhealthy node: they are not a property of the pool.
        !taint.key.startsWith('node.kubernetes.io/') &&
        !tolerates(tolerations, taint),
    ) ?? null
  )
}

export function tolerates(tolerations: readonly unknown[], taint: Taint): boolean {
  return tolerations.some((toleration) => {
    const effect = textAt(toleration, 'effect')
    if (effect !== null && effect !== taint.effect) return false
    const key = textAt(toleration, 'key')
    const isExists = (textAt(toleration, 'operator') ?? 'Equal') === 'Exists'
    if (key === null) return isExists
    if (key !== taint.key) return false
    return isExists || (textAt(toleration, 'value') ?? '') === taint.value
  })
}
