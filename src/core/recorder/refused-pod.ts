import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { at, toFields, textAt } from '#/core/basics/fields.ts'
import { selects } from '#/core/kubernetes/label-selector.ts'

/** A pod that was never created: the API server refused its owner's request. */
export type Refusal = {
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string }
  readonly namespace: string
  /** The name that the pod would have had. */
  readonly pod: string
  readonly at: number | null
}

/** The event messages of Jobs and ReplicaSets, and of StatefulSets. */
const REFUSED =
  /^(?:\(combined from similar events\): )?(?:Error creating|[Cc]reate Pod \S{1,253} in StatefulSet \S{1,253} failed error): pods "(?<pod>[^"]+)" is forbidden: /

export function refusalIn({ reason, message, kind, name, uid, namespace, lastAt }: EventFacts): Refusal | null {
  const pod = reason === 'FailedCreate' ? REFUSED.exec(message)?.groups?.['pod'] : undefined
  if (pod === undefined || kind === null || name === null || uid === null || namespace === null) return null
  return { owner: { kind, name, uid }, namespace, pod, at: lastAt }
}

/** Whether the owner creates runner pods, by the labels of its pod template. */
export function makesRunners(owner: unknown, selector: string): boolean {
  return selects(selector, templateLabels(owner))
}

function templateLabels(owner: unknown): ReturnType<typeof toFields> {
  return toFields(at(owner, 'spec', 'template', 'metadata', 'labels'))
}

/** The pod that would have been created, as far as its owner shows. */
export function unmadePod(owner: unknown): object {
  return { metadata: { labels: templateLabels(owner) } }
}

/** ARC gives up such a runner and says so only in its record: there is no event. */
export function refusalOfRunner(runner: unknown): Refusal | null {
  const [name, namespace, uid] = ['name', 'namespace', 'uid'].map((key) => textAt(runner, 'metadata', key))
  const isRefused =
    textAt(runner, 'status', 'phase') === 'Failed' && textAt(runner, 'status', 'reason') === 'InvalidPod'
  if (!isRefused || !name || !namespace || !uid) return null
  return { owner: { kind: 'EphemeralRunner', name, uid }, namespace, pod: name, at: null }
}
