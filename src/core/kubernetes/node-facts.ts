import { at, toFields, listAt, textAt, timeAt } from '#/core/basics/fields.ts'
import { readCondition } from './pod-facts.ts'
import type { ConditionFacts } from './pod-facts.ts'

export type NodeFacts = {
  readonly name: string
  readonly bootId: string | null
  readonly createdAt: number | null
  readonly isCordoned: boolean
  readonly conditions: readonly ConditionFacts[]
  readonly taints: readonly { readonly key: string; readonly effect: string | null; readonly since: number | null }[]
  /** The version of its microVM runtime, if the node has it. */
  readonly kataVersion: string | null
}

export function readNode(object: unknown): NodeFacts {
  return {
    name: textAt(object, 'metadata', 'name') ?? '',
    bootId: textAt(object, 'status', 'nodeInfo', 'bootID'),
    createdAt: timeAt(object, 'metadata', 'creationTimestamp'),
    isCordoned: at(object, 'spec', 'unschedulable') === true,
    conditions: listAt(object, 'status', 'conditions').map(readCondition),
    taints: listAt(object, 'spec', 'taints').map((taint) => ({
      key: textAt(taint, 'key') ?? '',
      effect: textAt(taint, 'effect'),
      since: timeAt(taint, 'timeAdded'),
    })),
    kataVersion: readKataVersion(object),
  }
}

/** Clusters keep it in different labels and annotations: all have "kata" in the key and a version in the value. */
function readKataVersion(object: unknown): string | null {
  const notes = { ...toFields(at(object, 'metadata', 'labels')), ...toFields(at(object, 'metadata', 'annotations')) }
  for (const [key, value] of Object.entries(notes)) {
    if (/kata/i.test(key) && typeof value === 'string' && /^v?\d+\.\d+/.test(value)) return value.replace(/^v/, '')
  }
  return null
}
