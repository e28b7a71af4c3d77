import { sha256 } from '#/runtime/sha256.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import { redactSecret } from '#/core/redaction/redaction-secret.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import { withoutBulk } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { FleetLists } from './fleet-lists.ts'
import { inParallel } from '#/runtime/collect/request/in-parallel.ts'
import type { ListPlan } from '#/runtime/collect/lists/list-plan.ts'
import type { Listing } from '#/runtime/collect/lists/read-list.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { wantedSecrets } from './wanted-secrets.ts'
import type { WantedSecrets } from './wanted-secrets.ts'
import { writeList } from '#/runtime/collect/lists/write-list.ts'

export const SECRETS: ListPlan = { name: 'secrets', resource: RESOURCES.secrets }

const AT_ONCE = 8
const REGISTRY_TYPE = 'type=kubernetes.io/dockerconfigjson'

/** The Secrets that the fleet names, as digests. Only these are asked for: the others do not even come here. */
export async function* gatherSecrets(
  means: Means,
  kubernetes: Kubernetes,
  lists: FleetLists,
): AsyncGenerator<BundleFile> {
  const { request, answers } = means
  const why = lists.why('autoscalingrunnersets')
  const detail = (reason: BlindReason): string => `which Secrets matter is not known: ${reason.detail}`
  if (why !== null) return answers.blind('kubernetes/secrets', { code: why.code, detail: detail(why) })
  request.progress('reading the Secrets of the fleet')
  const wanted = wantedSecrets({
    sets: lists.items('autoscalingrunnersets'),
    listeners: lists.items('autoscalinglisteners'),
    deployments: lists.items('deployments'),
    serviceAccounts: lists.items('serviceaccounts'),
    declared: request.fleet.declared?.file ?? {},
  })
  const listing = await readSecrets(kubernetes, wanted, request.signal)
  const items = listing.kind === 'seen' ? listing.value.items : []
  yield* writeList(means, SECRETS, { listing, items, isWhole: true })
}

/** At once, so that no value is held for longer than the answer that it came in. */
const digested: Trim = (object) => redactSecret(withoutBulk(object), sha256) as KubeObject

type Question = { readonly namespace: string; readonly fieldSelector: string; readonly name: string | null }

export async function readSecrets(
  kubernetes: Kubernetes,
  { namespaces, named }: WantedSecrets,
  signal: AbortSignal,
): Promise<Observed<Listing>> {
  const questions: readonly Question[] = [
    ...named.map(({ namespace, name }) => ({ namespace, fieldSelector: `metadata.name=${name}`, name })),
    ...namespaces.map((namespace) => ({ namespace, fieldSelector: REGISTRY_TYPE, name: null })),
  ]
  const found = new Map<string, KubeObject>()
  const unlisted: string[] = []
  const ask = async ({ namespace, fieldSelector, name }: Question) => ({
    namespace,
    name,
    read: await kubernetes.list({ resource: RESOURCES.secrets, namespace, fieldSelector, trim: digested }, signal),
  })
  for await (const { namespace, name, read } of inParallel(questions, AT_ONCE, ask)) {
    if (read.kind === 'seen') for (const item of read.value.items) found.set(item.metadata.uid, item)
    if (read.kind !== 'blind') continue
    // Who may read the Secrets that are named, and no others, sees all that a conclusion rests on.
    const isEnough =
      name === null && read.reason.code === 'forbidden' && named.some((one) => one.namespace === namespace)
    if (!isEnough) return blind(read.reason.code, `${namespace}: ${read.reason.detail}`)
    unlisted.push(namespace)
  }
  return seen({
    items: [...found.values()].toSorted(byPlace),
    namespaces: null,
    remark: describeUnread(questions, unlisted),
    isUnknownKind: false,
  })
}

function describeUnread(questions: readonly Question[], unlisted: readonly string[]): string {
  if (questions.length === 0) return 'nothing of the fleet names one'
  const rest = unlisted.length === 0 ? '' : `; of ${unlisted.toSorted().join(', ')} only by their names`
  return `only those that matter to the fleet, as digests${rest}`
}

function byPlace(a: KubeObject, b: KubeObject): number {
  return objectPlace(a) < objectPlace(b) ? -1 : 1
}

function objectPlace({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`
}
