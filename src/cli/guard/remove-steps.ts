import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { findOtherPlaces } from '#/core/guard/other-places.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { removeGuardObject } from '#/runtime/act/remove-guard.ts'
import { findGuardObjects, findStamped } from '#/runtime/guard/guard-objects.ts'
import type { FoundGuard } from '#/runtime/guard/guard-objects.ts'
import { writeStamp } from '#/runtime/guard/write-stamp.ts'
import { findTrouble } from './steps.ts'
import type { GuardStep } from './steps.ts'

export type RemoveTerms = {
  readonly namespaces: readonly string[]
  readonly isDry: boolean
  readonly signal: AbortSignal
}

/**
 * Takes the guard off. The stamps last: while a policy is there, a runner without one could be deleted. Policies and bindings
 * are those of the whole cluster: where they guard a namespace that was not named, nothing is removed.
 */
export async function removeGuard(
  kubernetes: Pick<Kubernetes, 'list' | 'get' | 'delete' | 'patch'>,
  { namespaces, isDry, signal }: RemoveTerms,
): Promise<readonly GuardStep[]> {
  const found = await findGuardObjects(kubernetes, namespaces, signal)
  const others = await Promise.all(found.map((one) => refuseOthers(one, { namespaces, kubernetes, signal })))
  if (others.some((steps) => steps.length > 0)) return others.flat()
  const steps: GuardStep[] = []
  for (const { kind, objects } of found) {
    const act = (object: KubeObject) => removeGuardObject(kubernetes, { kind, object }, signal)
    steps.push(...(await forEach({ kind, objects, isDry, what: '' }, act)))
  }
  for (const { kind, objects } of await findStamped(kubernetes, namespaces, signal)) {
    const act = (object: KubeObject) => writeStamp(kubernetes, { object, kind, because: null }, signal)
    steps.push(...(await forEach({ kind, objects, isDry, what: 'its stamp' }, act)))
  }
  return steps
}

type Asked = Pick<RemoveTerms, 'namespaces' | 'signal'> & { readonly kubernetes: Pick<Kubernetes, 'get'> }

async function refuseOthers({ kind, objects }: FoundGuard, asked: Asked): Promise<readonly GuardStep[]> {
  if (kind !== 'ValidatingAdmissionPolicyBinding' || objects.kind !== 'seen') return []
  const steps: GuardStep[] = []
  for (const object of objects.value) {
    const others = await keepStanding(findOtherPlaces(object, asked.namespaces), asked)
    if (others.length === 0) continue
    const all = others.map((place) => `-n ${place}`).join(' ')
    const detail = `nothing was removed: it also guards ${others.join(', ')}; to remove that too, add ${all}`
    steps.push({ kind, namespace: null, name: object.metadata.name, result: 'failed', detail })
  }
  return steps
}

/** A namespace that was deleted, or that is being deleted, guards nobody. One that cannot be read counts. */
async function keepStanding(
  places: readonly string[],
  { kubernetes, signal }: Pick<Asked, 'kubernetes' | 'signal'>,
): Promise<readonly string[]> {
  const standing: string[] = []
  for (const name of places) {
    const read = await kubernetes.get({ resource: RESOURCES.namespaces, name }, signal)
    const isGoing = read.kind === 'seen' && read.value.metadata.deletionTimestamp !== undefined
    if (read.kind !== 'none' && !isGoing) standing.push(name)
  }
  return standing
}

type Found = {
  readonly kind: string
  readonly objects: Observed<readonly KubeObject[]>
  readonly isDry: boolean
  readonly what: string
}

async function forEach(
  { kind, objects, isDry, what }: Found,
  act: (object: KubeObject) => Promise<WriteOutcome>,
): Promise<readonly GuardStep[]> {
  if (objects.kind === 'none') return []
  if (objects.kind === 'blind') {
    return [{ kind, namespace: null, name: '-', result: 'blind', detail: describeReason(objects.reason) }]
  }
  const steps: GuardStep[] = []
  for (const object of objects.value) {
    const about = { kind, namespace: object.metadata.namespace ?? null, name: object.metadata.name }
    if (isDry) steps.push({ ...about, result: 'planned', detail: `would be removed${what === '' ? '' : `: ${what}`}` })
    else steps.push({ ...about, ...(findTrouble(await act(object)) ?? { result: 'removed', detail: what }) })
  }
  return steps
}
