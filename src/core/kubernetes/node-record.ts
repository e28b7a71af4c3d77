import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { Taint } from './placement.ts'
import type { Amounts } from './quantity.ts'
import { readAmounts } from './quantity.ts'
import { readNode } from './node-facts.ts'
import type { NodeFacts } from './node-facts.ts'
import { conditionAs } from './pod-facts.ts'

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
    labels: toFields(at(object, 'metadata', 'labels')),
    taints: listAt(object, 'spec', 'taints').map((taint) => ({
      key: textAt(taint, 'key') ?? '',
      value: textAt(taint, 'value') ?? '',
      effect: textAt(taint, 'effect') ?? '',
    })),
    allocatable: readAmounts(toFields(at(object, 'status', 'allocatable'))),
    capacity: readAmounts(toFields(at(object, 'status', 'capacity'))),
    isReady: conditionAs(facts, 'Ready', 'True') !== null,
    raw: object,
  }
}
