import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NamedPlace } from '#/core/fleet-file/fleet-file.ts'
import { isRunnerPod } from '#/core/fleet/node-room.ts'
import { quote } from '#/core/fleet/container-logs.ts'
import type { CacheView } from './view.ts'

const MISSING = [
  /secret "(?<name>[^"]{1,253})" not found/,
  /couldn't find key \S{1,253} in Secret [^/\s]{1,63}\/(?<name>[^\s,;]{1,253})/,
] as const

type Failure = { readonly pod: string; readonly problem: string }

/** Runner pods that cannot start because a Secret is missing, by Secret. */
export function podsWithoutSecret(fleet: Fleet): ReadonlyMap<string, readonly Failure[]> {
  const waiting = fleet.pods.filter((pod) => pod.phase === 'Pending' && pod.lastSeenAt === null && isRunnerPod(pod))
  const found = new Map<string, Map<string, string>>()
  const add = (namespace: string, pod: string, problem: string): void => {
    const name = MISSING.map((pattern) => pattern.exec(problem)?.groups?.['name']).find((one) => one !== undefined)
    if (name === undefined) return
    const key = `${namespace}/${name}`
    found.set(key, (found.get(key) ?? new Map<string, string>()).set(pod, problem))
  }
  for (const { namespace, name, containers } of waiting) {
    for (const { state } of containers) if (state.kind === 'waiting') add(namespace, name, state.message ?? '')
  }
  const names = new Set(waiting.map(({ namespace, name }) => `${namespace}/${name}`))
  for (const { kind, namespace, name, message } of fleet.events) {
    if (kind === 'Pod' && names.has(`${namespace}/${name}`)) add(namespace ?? '', name ?? '', message)
  }
  return new Map([...found].map(([key, pods]) => [key, [...pods].map(([pod, problem]) => ({ pod, problem }))]))
}

type Wanted = NamedPlace & { readonly why: string }

/** Secrets that the cache needs: the declared one, and those that its variables use. */
export function secretFindings(view: CacheView): readonly Finding[] {
  const failures = podsWithoutSecret(view.fleet)
  const missing = new Map<string, Wanted[]>()
  for (const wanted of [...declaredSecret(view), ...variableSecrets(view)]) {
    const key = `${wanted.namespace}/${wanted.name}`
    missing.set(key, [...(missing.get(key) ?? []), wanted])
  }
  return [...missing].flatMap(([key, wanted]) => finding(view, wanted, failures.get(key) ?? []))
}

function declaredSecret({ declared, findSecret }: CacheView): readonly Wanted[] {
  const { secret } = declared
  if (secret === undefined || findSecret(secret.namespace, secret.name) !== null) return []
  return [{ ...secret, why: 'the fleet file requires it' }]
}

function variableSecrets({ users, declared }: CacheView): readonly Wanted[] {
  return users.flatMap(({ set, env, variables }) =>
    [...new Set([...variables, ...(declared.env ?? []), ...env.names.filter(isCacheVariable)])].flatMap((name) => {
      const variable = env.variable(name)
      if (variable.kind !== 'lacking') return []
      const why = `${name} of ${set.name} comes from its key ${variable.key}`
      return [{ namespace: set.namespace, name: variable.secret, why }]
    }),
  )
}

const isCacheVariable = (name: string): boolean => /^(?:ATTIC|CACHIX|SCCACHE|BAZEL_REMOTE|TURBO)_/.test(name)

function finding(
  { findSecret, fleet }: CacheView,
  wanted: readonly Wanted[],
  failing: readonly Failure[],
): readonly Finding[] {
  const [first] = wanted
  if (first === undefined) return []
  const { namespace, name } = first
  const isThere = findSecret(namespace, name) !== null
  const elsewhere = fleet
    .rows('secrets')
    .flatMap(({ metadata }) =>
      isNamed(metadata, name) ? [String((metadata as { namespace?: unknown }).namespace)] : [],
    )
    .filter((other) => other !== namespace)
  return [
    {
      class: 'secret-missing',
      severity: failing.length > 0 ? 'critical' : 'warning',
      subject: { kind: 'Secret', namespace, name },
      evidence: [
        isThere ? `${namespace}/${name} lacks a key` : `${namespace} has no Secret ${name}`,
        ...wanted.slice(0, 10).map(({ why }) => why),
        ...(elsewhere.length === 0
          ? []
          : [
              `${elsewhere.slice(0, 5).join(', ')} has one of this name, but a pod reads only Secrets of its own namespace`,
            ]),
        ...failing.slice(0, 5).map(({ pod, problem }) => `${pod} cannot start: ${quote(problem)}`),
      ],
      hint: isThere
        ? `add the key to ${namespace}/${name}`
        : `kubectl -n ${namespace} create secret generic ${name} --from-literal=…, with the keys that the runners use`,
      ...(failing.length === 0 ? {} : { fields: { failingPods: failing.length } }),
    },
  ]
}

function isNamed(metadata: unknown, name: string): boolean {
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata && metadata.name === name
}
