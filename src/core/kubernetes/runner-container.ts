import type { Fields } from '#/core/basics/fields.ts'
import { toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { ContainerFacts, ContainerState, PodFacts, Terminated } from './pod-facts.ts'

/** What decides whether a container is the runner's. */
export type NamedContainer = {
  readonly name: string
  readonly image?: string | null
  readonly role?: 'init' | 'main' | 'ephemeral'
}

/** Which container of a pod runs the runner. */
export type RunnerChoice<Container> =
  | {
      readonly kind: 'found'
      readonly container: Container
      /** `name`: it is called `runner`, as ARC requires. `likeness`: its name or image says so. `alone`: no other is left. */
      readonly by: 'name' | 'likeness' | 'alone'
    }
  /** No container but init and ephemeral ones. */
  | { readonly kind: 'none' }
  /** One of these, at least two. A statement about the runner must hold for each of them. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Container[] }

/** The Docker daemon's sidecar. A container with both in its name is the runner. */
const DAEMON = /(?:^|[-_])dind(?:[-_]|$)/

/** The only rule for this. Statuses are sorted by name, so the position means nothing. */
export function findRunner<Container extends NamedContainer>(
  containers: readonly Container[],
): RunnerChoice<Container> {
  const main = containers.filter(({ role }) => role === undefined || role === 'main')
  const named = main.find(({ name }) => name === 'runner')
  if (named !== undefined) return { kind: 'found', container: named, by: 'name' }
  // In a pod of the Kubernetes mode the job is in this one, beside its services.
  const job = main.find(({ name }) => name === 'job')
  if (job !== undefined) return { kind: 'found', container: job, by: 'likeness' }
  const alike = main.filter(({ name, image }) => /runner/.test(name) || /actions-runner/.test(image ?? ''))
  if (alike.length > 0) return choose(alike, 'likeness')
  const others = main.filter(({ name }) => !DAEMON.test(name))
  return choose(others.length === 0 ? main : others, 'alone')
}

function choose<Container>(candidates: readonly Container[], by: 'likeness' | 'alone'): RunnerChoice<Container> {
  const [first] = candidates
  if (first === undefined) return { kind: 'none' }
  return candidates.length === 1 ? { kind: 'found', container: first, by } : { kind: 'ambiguous', candidates }
}

/** None, the one, or all that it may be. */
export function runnerCandidates(pod: Pick<PodFacts, 'containers'>): readonly ContainerFacts[] {
  const choice = findRunner(pod.containers)
  if (choice.kind === 'ambiguous') return choice.candidates
  return choice.kind === 'found' ? [choice.container] : []
}

/** Null also if several containers may be the runner. */
export function knownRunnerContainer(pod: Pick<PodFacts, 'containers'>): ContainerFacts | null {
  const choice = findRunner(pod.containers)
  return choice.kind === 'found' ? choice.container : null
}

/** ARC's name where no container is known yet; null where several may be the runner's. */
export function runnerName(pod: Pick<PodFacts, 'containers'> | null): string | null {
  const choice = findRunner(pod?.containers ?? [])
  if (choice.kind === 'ambiguous') return null
  return choice.kind === 'found' ? choice.container.name : 'runner'
}

/** The runner is in this state, whichever of the candidates it is. */
export function isRunnerSurely(pod: Pick<PodFacts, 'containers'>, kind: ContainerState['kind']): boolean {
  const candidates = runnerCandidates(pod)
  return candidates.length > 0 && candidates.every(({ state }) => state.kind === kind)
}

/** In a template only the name counts: ARC gives the runner's configuration to the container `runner` and to no other. */
export function templateRunner(spec: unknown): Fields | null {
  const containers = listAt(spec, 'containers').map((own) => ({ name: textAt(own, 'name') ?? '', own: toFields(own) }))
  const choice = findRunner(containers)
  return choice.kind === 'found' && choice.by === 'name' ? choice.container.own : null
}

/** The container runs again, or waits to: what killed it is in the previous state. */
export function wasRestarted({ state, last }: ContainerFacts): boolean {
  return last.kind === 'terminated' && state.kind !== 'terminated'
}

export function terminatedState({ state, last }: ContainerFacts): Terminated | null {
  if (state.kind === 'terminated') return state
  return last.kind === 'terminated' ? last : null
}
