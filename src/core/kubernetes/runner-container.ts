import type { ContainerFacts, PodFacts, Terminated } from './pod-facts.ts'

/** The container in which the runner runs. Statuses are sorted by name, so it need not be the first. */
export function runnerContainer({ containers }: PodFacts): ContainerFacts | null {
  const main = containers.filter(({ role }) => role === 'main')
  return (
    main.find(({ name }) => name === 'runner') ??
    main.find(({ name, image }) => /runner/.test(name) || /actions-runner/.test(image ?? '')) ??
    main[0] ??
    null
  )
}

/** The container runs again, or waits to: what killed it is in the previous state. */
export function wasRestarted({ state, last }: ContainerFacts): boolean {
  return last.kind === 'terminated' && state.kind !== 'terminated'
}

export function terminatedState({ state, last }: ContainerFacts): Terminated | null {
  if (state.kind === 'terminated') return state
  return last.kind === 'terminated' ? last : null
}
