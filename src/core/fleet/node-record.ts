import type { Fields } from '#/core/fields.ts'
import { at, fieldsOf, listAt, textAt } from '#/core/fields.ts'
import type { Taint } from '#/core/fleet/placement.ts'
import type { Amounts } from '#/core/fleet/quantity.ts'
import { readAmounts } from '#/core/fleet/quantity.ts'
import { readNode } from '#/core/node-facts.ts'
import type { NodeFacts } from '#/core/node-facts.ts'
import { conditionAs } from '#/core/pod-facts.ts'

export type NodeRecord = Omit<NodeFacts, 'taints'> & {
  readonly labels: Fields
  readonly taints: readonly Taint[]
  readonly allocatable: Amounts
  readonly capacity: Amounts
  readonly isReady: boolean
  readonly raw: Fields
}

export function readNodeRecord(object: Fields): NodeRecord {
  const facts = readNode(object)
  return {
    ...facts,
    labels: fieldsOf(at(object, 'metadata', 'labels')),
    taints: listAt(object, 'spec', 'taints').map((taint) => ({
      key: textAt(taint, 'key') ?? '',
      value: textAt(taint, 'value') ?? '',
      effect: textAt(taint, 'effect') ?? '',
    })),
    allocatable: readAmounts(fieldsOf(at(object, 'status', 'allocatable'))),
    capacity: readAmounts(fieldsOf(at(object, 'status', 'capacity'))),
    isReady: conditionAs(facts, 'Ready', 'True') !== null,
    raw: object,
  }
}
