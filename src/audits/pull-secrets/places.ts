import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Puller } from './pullers.ts'
import type { Stage } from './stage.ts'

/** One credential and the namespaces in which it has to be. */
export type Credential = {
  readonly name: string
  /** Whose copy is right; of several the first with which another agrees. */
  readonly authoritative: readonly string[]
  readonly copies: readonly string[]
  /** By the fleet file: then it has to be in all of these places, and somebody has to name it there. */
  readonly isDeclared: boolean
}

/** As declared; what is named and not declared is looked at too, because a pod may wait for it. */
export function credentialsOf(stage: Stage): readonly Credential[] {
  const declared = (stage.fleet.declared.pullSecrets ?? []).map(({ name, authoritative, copies }) => ({
    name,
    authoritative: [authoritative.namespace],
    copies: copies.map(({ namespace }) => namespace).filter((namespace) => namespace !== authoritative.namespace),
    isDeclared: true,
  }))
  const known = new Set(
    declared.flatMap(({ name, authoritative, copies }) =>
      [...authoritative, ...copies].map((namespace) => `${namespace}/${name}`),
    ),
  )
  return [...declared, ...foundCredentials(stage, (namespace, name) => !known.has(`${namespace}/${name}`))]
}

/** The runners' copy is the right one, the controller's the copy: there somebody names it, or somebody has put it. */
function foundCredentials(stage: Stage, isWanted: (namespace: string, name: string) => boolean): readonly Credential[] {
  const runnerPlaces = new Set(stage.fleet.sets.map(({ namespace }) => namespace))
  const controllerPlaces = controllerNamespaces(stage.fleet, stage.pullers)
  const names = new Set(stage.pullers.flatMap(({ secrets }) => secrets))
  return [...names].map((name) => {
    const places = [...stage.placesOf(name)].filter((namespace) => isWanted(namespace, name)).toSorted()
    return {
      name,
      authoritative: places.filter((namespace) => runnerPlaces.has(namespace)),
      copies: places.filter((namespace) => !runnerPlaces.has(namespace) && controllerPlaces.has(namespace)),
      isDeclared: false,
    }
  })
}

function controllerNamespaces(fleet: Fleet, pullers: readonly Puller[]): ReadonlySet<string> {
  const { controllerNamespace } = fleet.declared
  return new Set([
    ...pullers.filter(({ role }) => role !== 'runner').map(({ namespace }) => namespace),
    ...(controllerNamespace === undefined ? [] : [controllerNamespace]),
  ])
}
