import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Puller } from './pullers.ts'
import type { PullView } from './view.ts'

/** One credential and the namespaces that need it. */
export type Credential = {
  readonly name: string
  /** Namespaces of the authoritative copy; of several, the first one that matches a copy counts. */
  readonly authoritative: readonly string[]
  readonly copies: readonly string[]
  /** Declared in the fleet file: then it must exist in all of these namespaces and be referenced there. */
  readonly isDeclared: boolean
}

/** Declared credentials, and undeclared ones that are referenced, because a pod may wait for them. */
export function listCredentials(view: PullView): readonly Credential[] {
  const declared = (view.fleet.declared.pullSecrets ?? []).map(({ name, authoritative, copies }) => ({
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
  return [...declared, ...foundCredentials(view, (namespace, name) => !known.has(`${namespace}/${name}`))]
}

/** The runners' namespaces are authoritative, the controllers' are copies, if the Secret exists or is referenced there. */
function foundCredentials(
  view: PullView,
  isWanted: (namespace: string, name: string) => boolean,
): readonly Credential[] {
  const runnerPlaces = new Set(view.fleet.sets.map(({ namespace }) => namespace))
  const controllerPlaces = controllerNamespaces(view.fleet, view.pullers)
  const names = new Set(view.pullers.flatMap(({ secrets }) => secrets))
  return [...names].map((name) => {
    const places = [...view.listNamespaces(name)].filter((namespace) => isWanted(namespace, name)).toSorted()
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
