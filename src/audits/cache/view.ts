import type { Question } from '#/core/audit/audit.ts'
import { askedSets } from '#/core/audit/asked-sets.ts'
import { BLIND_CLASS } from '#/core/audit/finding.ts'
import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { DeclaredCache, NamedPlace } from '#/core/fleet-file/fleet-file.ts'
import type { Digest } from '#/core/redaction/redaction-secret.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import { containerEnv, isSet, secretFinder } from '#/core/fleet/runner-env.ts'
import type { ContainerEnv, FindSecret } from '#/core/fleet/runner-env.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import { readServices, findService } from './cache-service.ts'
import type { Services } from './cache-service.ts'
import { addressesIn, knownVariables } from './cache-variables.ts'
import type { CacheAddress } from './cache-variables.ts'

/** What this audit sees of the fleet, computed once. */
export type CacheView = {
  readonly fleet: Fleet
  readonly declared: DeclaredCache
  readonly users: readonly CacheUser[]
  readonly services: Services
  readonly findSecret: FindSecret
}

/** A scale set with its cache variables. */
export type CacheUser = {
  readonly set: ScaleSet
  readonly env: ContainerEnv
  /** The cache variables that are set, including declared ones. */
  readonly variables: readonly string[]
  readonly addresses: readonly CacheAddress[]
}

export function buildCacheView(fleet: Fleet, question: Question): CacheView {
  const findSecret = secretFinder(fleet)
  const declared = fleet.declared.cache ?? {}
  return {
    fleet,
    declared,
    findSecret,
    services: readServices(fleet),
    users: askedSets(fleet, question).map((set) =>
      buildUser(set, { declared, findSecret, digest: fleet.snapshot.digest }),
    ),
  }
}

function buildUser(
  set: ScaleSet,
  {
    declared,
    findSecret,
    digest,
  }: { readonly declared: DeclaredCache; readonly findSecret: FindSecret; readonly digest: Digest },
): CacheUser {
  const env = containerEnv(templateRunner(set.template), { namespace: set.namespace, findSecret, digest })
  const named = (declared.env ?? []).filter((name) => isSet(env.variable(name)))
  return {
    set,
    env,
    variables: [...new Set([...named, ...knownVariables(env)])],
    addresses: addressesIn(env, declared.env ?? []),
  }
}

export function setSubject({ kind, namespace, name }: ScaleSet): FindingSubject {
  return { kind, namespace, name }
}

/** The Services behind the cache, each with what names it. */
export function cacheServices({ declared, users, services }: CacheView): readonly CacheService[] {
  const { service } = declared
  const found = users.flatMap(({ set, addresses }) =>
    addresses.flatMap(({ from, host }) => {
      const place = findService(host, set.namespace, services.isService)
      return place === null ? [] : [{ ...place, namedBy: `${from} of ${set.name} names it`, isDeclared: false }]
    }),
  )
  const all = [
    ...(service === undefined ? [] : [{ ...service, namedBy: 'the fleet file names it', isDeclared: true }]),
    ...found,
  ]
  return [...new Map(all.toReversed().map((one) => [`${one.namespace}/${one.name}`, one])).values()]
}

export type CacheService = NamedPlace & { readonly namedBy: string; readonly isDeclared: boolean }

/** A blind finding. A source that was requested but could not be read is reported elsewhere. */
export function unknown(fleet: Fleet, source: string, why: string): readonly Finding[] {
  const observed = findSource(fleet.snapshot, source)
  if (observed.kind === 'blind' && observed.reason.code !== 'not-asked') return []
  return [
    {
      class: BLIND_CLASS,
      severity: 'warning',
      subject: { kind: 'Source', name: source },
      evidence: [why],
      hint: 'run signalbox audit cache --probe: it checks from a short-lived pod built like a runner',
    },
  ]
}
