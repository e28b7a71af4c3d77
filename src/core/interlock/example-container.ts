import type { ContainerFacts, ContainerState } from '#/core/kubernetes/pod-facts.ts'

/** A container for the examples of the gates. */
export function exampleContainer(
  name: string,
  state: ContainerState,
  last: ContainerState = { kind: 'unknown' },
): ContainerFacts {
  return { name, role: 'main', isSidecar: false, id: null, image: null, memoryLimit: null, restarts: 0, state, last }
}
