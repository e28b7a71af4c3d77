import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

const place = { resource: RESOURCES.pods, namespace: 'ns' } as const
const ref = { ...place, name: 'pod' } as const
const log = { namespace: 'ns', pod: 'pod', container: 'main' } as const
const preconditions = { uid: 'uid-1' }

export type Outcome = { readonly kind: string }

/** Every call of the port, reduced to its first result. */
export const VERBS = {
  list: (kubernetes, signal) => kubernetes.list(place, signal),
  get: (kubernetes, signal) => kubernetes.get(ref, signal),
  watch: (kubernetes, signal) =>
    firstWord(kubernetes.watch(place, signal), (event) =>
      event.kind === 'listed' ? event.items.length === 0 : event.kind !== 'caught-up',
    ),
  logTail: (kubernetes, signal) => kubernetes.logTail({ ...log, tailLines: 9, tailBytes: 900 }, signal),
  followLog: (kubernetes, signal) => firstWord(kubernetes.followLog(log, signal), () => true),
  raw: (kubernetes, signal) => kubernetes.raw('/version', signal),
  canI: (kubernetes, signal) => kubernetes.canI({ verb: 'get', path: '/version' }, signal),
  reviewToken: (kubernetes, signal) => kubernetes.reviewToken({ token: 'some-token', audience: 'us' }, signal),
  create: (kubernetes, signal) => kubernetes.create({ ...place, object: {} }, signal),
  patch: (kubernetes, signal) => kubernetes.patch({ ...ref, patch: { kind: 'merge', changes: {} } }, signal),
  delete: (kubernetes, signal) => kubernetes.delete({ ...ref, preconditions }, signal),
  evict: (kubernetes, signal) => kubernetes.evict({ namespace: 'ns', pod: 'pod', preconditions }, signal),
} as const satisfies Record<string, (kubernetes: KubernetesConnection, signal: AbortSignal) => Promise<Outcome>>

export type Verb = keyof typeof VERBS

async function firstWord<T extends Outcome>(source: AsyncIterable<T>, isIt: (event: T) => boolean): Promise<Outcome> {
  for await (const event of source) if (isIt(event)) return event
  return { kind: 'silence' }
}

const metadata = { name: 'pod', namespace: 'ns', uid: 'uid-1', resourceVersion: '7' }
const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: { phase: 'Running' } }

/** The correct answer to each. A watch starts with a correct list; this is the line after it. */
export const SOUND: Readonly<Record<Verb, object>> = {
  list: { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '7' }, items: [pod] },
  get: pod,
  watch: { type: 'MODIFIED', object: pod },
  logTail: {},
  followLog: {},
  raw: {},
  canI: { kind: 'SelfSubjectAccessReview', status: { allowed: true } },
  reviewToken: { kind: 'TokenReview', status: { authenticated: true, audiences: ['us'], user: { username: 'u' } } },
  create: pod,
  patch: pod,
  delete: pod,
  evict: pod,
}

/** Any complete text with a success status is valid. */
export const TEXT_VERBS: ReadonlySet<Verb> = new Set<Verb>(['logTail', 'followLog', 'raw'])
export const WRITE_VERBS: ReadonlySet<Verb> = new Set<Verb>(['create', 'patch', 'delete', 'evict'])
