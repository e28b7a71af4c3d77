import type { Fields } from '#/core/basics/fields.ts'
import { toStatus, streaming } from './kubernetes-answers.ts'
import { isIn } from './object-store.ts'
import type { Change, ObjectStore } from './object-store.ts'
import type { Clock } from '#/ports/clock.ts'

export type WatchQuestion = {
  readonly resource: string
  readonly kind: { readonly apiVersion: string; readonly kind: string }
  readonly namespace: string | null
  readonly isChosen: (object: Fields) => boolean
  readonly from: number
  readonly wantsBookmarks: boolean
  readonly seconds: number
}

const BOOKMARK_MS = 60_000

/** What changes from a version on, one JSON document a line, until the time that was asked for is over. */
export function answerWatch(
  { store, clock }: { readonly store: ObjectStore; readonly clock: Clock },
  question: WatchQuestion,
  signal: AbortSignal,
): Response {
  return streaming('application/json', async (write) => {
    const { resource, namespace, isChosen, from, kind } = question
    const line = (type: string, object: object): void => write(`${JSON.stringify({ type, object })}\n`)
    const send = (change: Change): void => {
      if (change.resource !== resource || !isIn(change.object, namespace) || !isChosen(change.object)) return
      line(change.type, { ...kind, ...change.object })
    }
    const before = store.since(from)
    if (before === null) {
      const message = `too old resource version: ${from} (${store.version()})`
      return line('ERROR', toStatus({ code: 410, reason: 'Expired', message }))
    }
    for (const change of before) send(change)
    const unsubscribe = store.onChange(send)
    const bookmark = (): void => {
      if (question.wantsBookmarks && !signal.aborted) {
        line('BOOKMARK', { ...kind, metadata: { resourceVersion: String(store.version()) } })
      }
    }
    const until = clock.now() + question.seconds * 1000
    while (!signal.aborted && clock.now() < until) {
      await clock.sleep(Math.min(BOOKMARK_MS, until - clock.now()), signal)
      bookmark()
    }
    unsubscribe()
  })
}
