import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'

/** In ARC's Kubernetes mode the hook of the runner makes the pods in which the steps run. */

/** Such a pod has the runner's job, but the job shows only that the runner ran, not that this pod did. */
export function isJobPod({ pod, subject }: Pick<Evidence, 'pod' | 'subject'>): boolean {
  const owner = pod?.labels['runner-pod']
  if (owner !== undefined) return owner !== pod?.name
  return subject.runner !== null && isNamedAfter(subject.pod ?? '', subject.runner)
}

/** As actions/runner-container-hooks names them. */
function isNamedAfter(name: string, runner: string): boolean {
  return name === `${runner}-workflow` || name.startsWith(`${runner}-step-`)
}

/** The quota refused the pod of the job, as the hook logged it. A step that prints the refusal of some other pod says nothing. */
export function refusedJobPods({ clues, subject }: Pick<Evidence, 'clues' | 'subject'>): readonly Fact[] {
  const { pod } = subject
  if (pod === null) return []
  return clues.filter(
    ({ is, fields, source }) =>
      is === 'quota-exceeded' && !source.startsWith('kubernetes/events') && isNamedAfter(fields['pod'] ?? '', pod),
  )
}
