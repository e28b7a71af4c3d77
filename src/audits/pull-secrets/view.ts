import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { imageRepository } from '#/core/kubernetes/image-name.ts'
import { imageTrouble } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { readPullFailure } from './pull-failure.ts'
import type { PullFailure } from './pull-failure.ts'
import { readPullSecret } from './pull-secret.ts'
import type { PullSecret } from './pull-secret.ts'
import { listPullers } from './pullers.ts'
import type { Puller } from './pullers.ts'

/** What this audit sees of the fleet, computed once. */
export type PullView = {
  readonly fleet: Fleet
  readonly pullers: readonly Puller[]
  /** The repositories of the fleet's images. */
  readonly repositories: ReadonlySet<string>
  readonly failures: readonly PullFailure[]
  /** The pullers that reference this pull secret. */
  readonly listReferences: (namespace: string, name: string) => readonly Puller[]
  readonly pullersIn: (namespace: string) => readonly Puller[]
  /** Namespaces where a Secret of this name exists or is referenced. */
  readonly listNamespaces: (name: string) => ReadonlySet<string>
  readonly secretAt: (namespace: string, name: string) => PullSecret | null
  /** The Secrets that the kubelet would read if a pod references them. */
  readonly registrySecretsIn: (namespace: string) => readonly PullSecret[]
}

export function buildPullView(fleet: Fleet): PullView {
  const pullers = listPullers(fleet)
  const references = groupReferences(pullers)
  const byNamespace = Map.groupBy(pullers, ({ namespace }) => namespace)
  const places = placesByName(fleet, pullers)
  const raw = new Map(fleet.rows('secrets').map((secret) => [secretKey(secret), secret]))
  const registrySecrets = Map.groupBy(
    fleet.rows('secrets').filter((secret) => (textAt(secret, 'type') ?? '').startsWith('kubernetes.io/dockerc')),
    (secret) => textAt(secret, 'metadata', 'namespace') ?? 'default',
  )
  const read = new Map<Fields, PullSecret>()
  const readOnce = (secret: Fields): PullSecret => {
    const known = read.get(secret) ?? readPullSecret(secret, fleet.snapshot.digest)
    read.set(secret, known)
    return known
  }
  return {
    fleet,
    pullers,
    repositories: new Set(pullers.flatMap(({ images }) => images.map(imageRepository))),
    failures: listFailures(fleet),
    listReferences: (namespace, name) => references.get(`${namespace}/${name}`) ?? [],
    pullersIn: (namespace) => byNamespace.get(namespace) ?? [],
    listNamespaces: (name) => places.get(name) ?? new Set(),
    secretAt: (namespace, name) => {
      const secret = raw.get(`${namespace}/${name}`)
      return secret === undefined ? null : readOnce(secret)
    },
    registrySecretsIn: (namespace) => (registrySecrets.get(namespace) ?? []).map(readOnce),
  }
}

function groupReferences(pullers: readonly Puller[]): ReadonlyMap<string, readonly Puller[]> {
  const found = new Map<string, Puller[]>()
  for (const puller of pullers) {
    for (const name of new Set(puller.secrets)) {
      const key = `${puller.namespace}/${name}`
      const known = found.get(key)
      if (known === undefined) found.set(key, [puller])
      else known.push(puller)
    }
  }
  return found
}

function placesByName(fleet: Fleet, pullers: readonly Puller[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const { namespace, secrets } of pullers) {
    for (const name of secrets) found.set(name, (found.get(name) ?? new Set()).add(namespace))
  }
  const homes = listFleetNamespaces(fleet, pullers)
  for (const secret of fleet.rows('secrets')) {
    const namespace = textAt(secret, 'metadata', 'namespace') ?? 'default'
    if (homes.has(namespace)) found.get(textAt(secret, 'metadata', 'name') ?? '')?.add(namespace)
  }
  return found
}

/** A Secret of the same name in another namespace does not belong to the fleet. */
function listFleetNamespaces({ declared }: Fleet, pullers: readonly Puller[]): ReadonlySet<string> {
  const { controllerNamespace, pullSecrets = [] } = declared
  return new Set([
    ...pullers.map(({ namespace }) => namespace),
    ...(controllerNamespace === undefined ? [] : [controllerNamespace]),
    ...pullSecrets.map(({ authoritative }) => authoritative.namespace),
    ...pullSecrets.flatMap(({ copies }) => copies.map(({ namespace }) => namespace)),
  ])
}

function secretKey(object: Fields): string {
  return `${textAt(object, 'metadata', 'namespace') ?? 'default'}/${textAt(object, 'metadata', 'name')}`
}

function listFailures(fleet: Fleet): readonly PullFailure[] {
  const stuck = fleet.pods.filter((pod) => isArcPod(pod) && pod.lastSeenAt === null && imageTrouble(pod) !== null)
  const names = new Set(stuck.map(({ namespace, name }) => `${namespace}/${name}`))
  const events = Map.groupBy(
    fleet.events.filter(({ kind, namespace, name }) => kind === 'Pod' && names.has(`${namespace}/${name}`)),
    ({ namespace, name }) => `${namespace}/${name}`,
  )
  return stuck.flatMap((pod) => readPullFailure(pod, ownEvents(pod, events)) ?? [])
}

/** A pod of the same name with another UID is another pod. */
function ownEvents({ namespace, name, uid }: PodRecord, events: ReadonlyMap<string, readonly EventFacts[]>) {
  return (events.get(`${namespace}/${name}`) ?? []).filter(
    (event) => event.uid === null || uid === null || event.uid === uid,
  )
}

const PARTS: ReadonlySet<string> = new Set(['gha-rs-controller', 'gha-runner-scale-set'])

/** Runners, listeners and controllers, but not pods that jobs start. */
function isArcPod({ labels, ownerKinds }: PodRecord): boolean {
  return (
    PARTS.has(textAt(labels, 'app.kubernetes.io/part-of') ?? '') ||
    ownerKinds.some(({ kind }) => kind === 'EphemeralRunner' || kind === 'AutoscalingListener')
  )
}
