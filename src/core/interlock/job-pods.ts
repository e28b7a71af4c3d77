import { textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'

/** Pods that run for the job of a runner: ARC's hooks label them with its name (kubernetes mode). */
export function jobPodFinder({ pods }: Fleet): (namespace: string, runner: string) => readonly string[] {
  const running = pods.flatMap((pod) => {
    const runner = textAt(pod.labels, 'runner-pod')
    return runner === null || hasEnded(pod) || pod.lastSeenAt !== null ? [] : [{ runner, pod }]
  })
  const byRunner = Map.groupBy(running, ({ runner, pod }) => `${pod.namespace}/${runner}`)
  return (namespace, runner) => (byRunner.get(`${namespace}/${runner}`) ?? []).map(({ pod }) => pod.name)
}
