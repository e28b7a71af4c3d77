import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { GitHub, Permission, Registration } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import { findRegistration, registrationPlace } from '#/runtime/collect/fleet/fleet-registrations.ts'
import type { Order } from './to-candidate.ts'

export type RightsMeans = {
  readonly kubernetes: Pick<Kubernetes, 'canI'>
  readonly github: Pick<GitHub, 'access'> | null
  readonly githubUrl: string
  readonly signal: AbortSignal
}

export const OPERATE_ADVICE =
  'deploy/operate has the rights that acts need: kubectl apply -f deploy/operate, or operate.enabled=true in the chart'
export const GITHUB_ADVICE =
  'give the credential the right to remove runners: Administration (write) of a repository, Self-hosted runners (write) of an organisation'

/** Throws a `CommandFailure` that names every missing right: half of an act is worse than none. What cannot be asked is tried. */
export async function refuseWithoutRights(
  orders: readonly Order[],
  view: RuntimeView,
  means: RightsMeans,
): Promise<void> {
  const cluster = await missingInCluster(orders, means)
  const github = await missingAtGitHub(orders, view, means)
  if (cluster.length + github.length === 0) return
  throw new CommandFailure(EXIT.failed, 'reap --apply lacks rights, so nothing was removed', [
    ...cluster,
    ...(cluster.length === 0 ? [] : [OPERATE_ADVICE]),
    ...github,
    ...(github.length === 0 ? [] : [GITHUB_ADVICE]),
  ])
}

async function missingInCluster(
  orders: readonly Order[],
  { kubernetes, signal }: RightsMeans,
): Promise<readonly string[]> {
  const wanted = new Map(orders.flatMap(toRights).map((right) => [JSON.stringify(right), right]))
  const missing: string[] = []
  for (const { verb, resource, namespace } of wanted.values()) {
    const verdict = await kubernetes.canI({ verb, resource, namespace }, signal)
    if (verdict.kind === 'seen' && !verdict.value.allowed) {
      missing.push(`missing in the cluster: ${verb} ${resource.plural} (${resource.group || 'core'}) in ${namespace}`)
    }
  }
  return missing
}

type Right = { readonly verb: string; readonly resource: Resource; readonly namespace: string }

/** The removal itself, and the reads that its evidence needs: without those it would be refused in the middle of the act. */
function toRights({ candidate: { act, subject, runners } }: Order): readonly Right[] {
  const isScaled = act === 'scale-ephemeral-runner-set'
  const removal: Right = {
    verb: isScaled ? 'patch' : 'delete',
    resource: isScaled ? RESOURCES.ephemeralRunnerSets : RESOURCES.ephemeralRunners,
    namespace: subject.namespace ?? '',
  }
  const reads = runners.flatMap(({ namespace }): readonly Right[] => [
    { verb: 'get', resource: RESOURCES.ephemeralRunners, namespace },
    { verb: 'list', resource: RESOURCES.pods, namespace },
  ])
  return [removal, ...reads]
}

async function missingAtGitHub(
  orders: readonly Order[],
  view: RuntimeView,
  { github, githubUrl, signal }: RightsMeans,
): Promise<readonly string[]> {
  const places = new Map<string, Registration>()
  const proposed = new Set(orders.flatMap(({ candidate }) => candidate.runners.map(({ identity }) => identity.uid)))
  for (const { runner } of view.runners) {
    // A runner that GitHub does not list needs no removal there.
    if (!proposed.has(runner.uid) || runner.github === null) continue
    const at = findRegistration([runner.raw], githubUrl)
    if (at !== null) places.set(registrationPlace(at), at)
  }
  const missing: string[] = []
  for (const [place, at] of places) {
    if (github === null) missing.push(`missing at GitHub: a credential, to remove runners of ${place}`)
    const lacking = await github?.access.missing(place, [toPermission(at)], { signal })
    for (const { name, level } of lacking?.kind === 'seen' ? lacking.value : []) {
      missing.push(`missing at GitHub: ${name}=${level} for ${place}`)
    }
  }
  return missing
}

function toPermission({ kind }: Registration): Permission {
  return { name: kind === 'repository' ? 'administration' : 'organization_self_hosted_runners', level: 'write' }
}
