import { listAt, textAt } from '#/core/basics/fields.ts'
import { flagValue, readController } from '#/core/fleet/controller.ts'
import type { FleetFile, NamedPlace } from '#/core/fleet-file/fleet-file.ts'
import { readListener, readScaleSet } from '#/core/fleet/scale-set.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

export type SecretNamers = {
  readonly sets: readonly KubeObject[]
  readonly listeners: readonly KubeObject[]
  readonly deployments: readonly KubeObject[]
  readonly serviceAccounts: readonly KubeObject[]
  readonly declared: FleetFile
}

export type WantedSecrets = {
  /** Where credentials of registries matter, whatever they are called. */
  readonly namespaces: readonly string[]
  /** Of any type, because a wrong one is worth knowing. */
  readonly named: readonly NamedPlace[]
}

/** Nothing in a cluster has another name, and the API server would take it for more than a name. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/

/** The Secrets that matter to a fleet of runners: all others are nobody's business here. */
export function wantedSecrets(namers: SecretNamers): WantedSecrets {
  const named = [...namedByObjects(namers), ...namedByFile(namers.declared)]
  const own = ownNamespaces(namers)
  const isHome = new Set([...own, ...(namers.declared.pullSecrets ?? []).flatMap(listPlaces)])
  const possible = named.filter(({ name }) => NAME.test(name))
  const distinct = new Map(possible.map((place) => [secretKey(place), place]))
  return { namespaces: [...isHome].toSorted(), named: [...distinct.values()] }
}

function ownNamespaces({ sets, listeners, deployments, declared }: SecretNamers): ReadonlySet<string> {
  const controllers = deployments.flatMap((deployment) => readController(deployment)?.namespace ?? [])
  const { controllerNamespace, runnerNamespaces = [] } = declared
  return new Set([
    ...[...sets, ...listeners].flatMap(({ metadata }) => metadata.namespace ?? []),
    ...controllers,
    ...(controllerNamespace === undefined ? [] : [controllerNamespace]),
    ...runnerNamespaces,
  ])
}

function namedByObjects({ sets, listeners, deployments, serviceAccounts }: SecretNamers): readonly NamedPlace[] {
  const accounts = new Map(serviceAccounts.map((account) => [secretKey(account.metadata), account]))
  const ofSets = sets.map(readScaleSet).flatMap(({ namespace, configSecret, usesVault, template }) => {
    const account = accounts.get(secretKey({ namespace, name: textAt(template, 'serviceAccountName') ?? 'default' }))
    const names = [
      // With a vault it is the name of something else.
      ...(configSecret === null || usesVault ? [] : [configSecret]),
      ...listPullSecrets(template),
      ...listPullSecrets(account),
      ...secretsInside(template),
    ]
    return names.map((name) => ({ namespace, name }))
  })
  const ofListeners = listeners
    .map(readListener)
    .flatMap(({ namespace, pullSecrets }) => places(namespace, pullSecrets))
  const ofControllers = deployments
    .flatMap((deployment) => readController(deployment) ?? [])
    .flatMap(({ namespace, pullSecrets, args, raw }) => {
      const account = textAt(raw, 'spec', 'template', 'spec', 'serviceAccountName') ?? 'default'
      // With these the controller makes its listeners.
      const given = flagValue(args, 'auto-scaler-image-pull-secrets')?.split(',') ?? []
      return places(namespace, [
        ...pullSecrets,
        ...listPullSecrets(accounts.get(secretKey({ namespace, name: account }))),
        ...given,
      ])
    })
  return [...ofSets, ...ofListeners, ...ofControllers]
}

function namedByFile({ pullSecrets = [], cache, gitlab }: FleetFile): readonly NamedPlace[] {
  return [
    ...pullSecrets.flatMap((secret) => listPlaces(secret).map((namespace) => ({ namespace, name: secret.name }))),
    ...(cache?.secret === undefined ? [] : [cache.secret]),
    ...(gitlab?.tokenSecret === undefined ? [] : [gitlab.tokenSecret]),
  ]
}

function listPlaces({ authoritative, copies }: NonNullable<FleetFile['pullSecrets']>[number]): readonly string[] {
  return [authoritative.namespace, ...copies.map(({ namespace }) => namespace)]
}

function places(namespace: string, names: readonly string[]): readonly NamedPlace[] {
  return names.map((name) => ({ namespace, name }))
}

function listPullSecrets(holder: unknown): readonly string[] {
  return listAt(holder, 'imagePullSecrets').flatMap((secret) => textAt(secret, 'name') ?? [])
}

/** What the containers of a pod are given: a variable, a bundle of them, a volume. */
function secretsInside(spec: unknown): readonly string[] {
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]
  const volumes = listAt(spec, 'volumes')
  return [
    ...containers
      .flatMap((container) => listAt(container, 'env'))
      .map((one) => textAt(one, 'valueFrom', 'secretKeyRef', 'name')),
    ...containers.flatMap((container) => listAt(container, 'envFrom')).map((one) => textAt(one, 'secretRef', 'name')),
    ...volumes.map((volume) => textAt(volume, 'secret', 'secretName')),
    ...volumes.flatMap((volume) => listAt(volume, 'projected', 'sources')).map((one) => textAt(one, 'secret', 'name')),
  ].filter((name) => name !== null)
}

function secretKey({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ''}/${name}`
}
