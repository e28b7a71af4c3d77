import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { LogEvent } from '#/ports/kubernetes.ts'
import type { Gathered } from './kubernetes-gather.ts'
import { gather } from './kubernetes-gather.ts'

/** A script that writes a numbered line ten times a second. */
export const COUNTING = 'i=0; while true; do i=$((i+1)); echo line $i; sleep 0.1; done'

export function follow(kubernetes: KubernetesConnection, namespace: string, pod: string): Gathered<LogEvent> {
  return gather((signal) => kubernetes.followLog({ namespace, pod, container: 'main' }, signal))
}

export function listLines({ events }: Gathered<LogEvent>): readonly string[] {
  return events.flatMap((event) => (event.kind === 'line' ? [event.text] : []))
}

export const isLine =
  (text: string) =>
  (event: LogEvent): boolean =>
    event.kind === 'line' && event.text === text
