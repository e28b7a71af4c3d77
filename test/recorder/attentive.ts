import { textAt } from '#/core/basics/fields.ts'
import type { Kubernetes, LogEvent, WatchEvent } from '#/ports/kubernetes.ts'

/** A cluster that knows what its reader has received: what exists has not been read yet. */
export type Attentive = {
  readonly kubernetes: Kubernetes
  /** Whether the reader has received this line of the log of a pod, and requested the next. */
  readonly hasHeard: (pod: string, text: string) => boolean
  readonly hasSeenEvent: (pod: string, reason: string) => boolean
}

export function attentive(kubernetes: Kubernetes): Attentive {
  const lines: string[] = []
  const events = new Set<string>()
  return {
    kubernetes: {
      ...kubernetes,
      followLog: (request, signal) =>
        noting(kubernetes.followLog(request, signal), (event: LogEvent) => {
          if (event.kind === 'line') lines.push(`${request.pod} ${event.text}`)
        }),
      watch: (request, signal) =>
        noting(kubernetes.watch(request, signal), (event) => {
          for (const object of objectsIn(event))
            events.add(`${textAt(object, 'involvedObject', 'name')} ${textAt(object, 'reason')}`)
        }),
    },
    hasHeard: (pod, text) => lines.some((line) => line.startsWith(`${pod} `) && line.includes(text)),
    hasSeenEvent: (pod, reason) => events.has(`${pod} ${reason}`),
  }
}

/** Noted when the next one is requested: then this one has been handled. */
async function* noting<T>(source: AsyncIterable<T>, note: (one: T) => void): AsyncGenerator<T, void> {
  for await (const one of source) {
    yield one
    note(one)
  }
}

function objectsIn(event: WatchEvent): readonly unknown[] {
  if (event.kind === 'listed') return event.items
  return 'object' in event ? [event.object] : []
}
