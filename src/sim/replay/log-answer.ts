import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Clock } from '#/ports/clock.ts'
import { absent, badRequest, streaming, text } from './kubernetes-answers.ts'
import type { ObjectStore } from './object-store.ts'
import type { Written } from './play.ts'

export type LogSource = {
  readonly store: ObjectStore
  readonly clock: Clock
  /** Null where the log was not recorded. */
  readonly readLog: (uid: string, container: string) => readonly Written[] | null
}

export type LogQuestion = { readonly namespace: string; readonly pod: string; readonly query: URLSearchParams }

const LOOKS_AGAIN_MS = 200

/** A container's log up to now, and with `follow` what comes until the container has ended. */
export function answerLog(source: LogSource, { namespace, pod, query }: LogQuestion, signal: AbortSignal): Response {
  const object = source.store.get('pods', { namespace, name: pod })
  if (object === null) return absent('pods', pod)
  if (textAt(object, 'spec', 'nodeName') === null) return new Response(null, { status: 204 })
  const container = query.get('container') ?? textAt(listAt(object, 'spec', 'containers')[0], 'name') ?? ''
  const log = findLog(source, { object, container, wantsPrevious: query.get('previous') === 'true' })
  if (log instanceof Response) return log
  const lines = log.filter(({ at }) => at >= toSecond(query.get('sinceTime')))
  if (query.get('follow') === 'true') return follow(source, { namespace, pod, container, lines, query }, signal)
  const written = lines.filter(({ at }) => at <= source.clock.now())
  return text(200, printed(written.slice(-(Number(query.get('tailLines')) || written.length)), query))
}

type Wanted = { readonly object: Fields; readonly container: string; readonly wantsPrevious: boolean }

function findLog({ readLog }: LogSource, { object, container, wantsPrevious }: Wanted): readonly Written[] | Response {
  const refusal = wantsPrevious ? null : notBegun(object, container)
  if (refusal !== null) return refusal
  const log = readLog(textAt(object, 'metadata', 'uid') ?? '', wantsPrevious ? `${container}.previous` : container)
  if (log !== null) return log
  const name = textAt(object, 'metadata', 'name') ?? ''
  if (wantsPrevious) return badRequest(`previous terminated container "${container}" in pod "${name}" not found`)
  // As the kubelet says it of a log whose file is gone.
  return text(200, `unable to retrieve container logs for ${containerId(object, container)}`)
}

type Following = Omit<LogQuestion, 'query'> & {
  readonly container: string
  readonly lines: readonly Written[]
  readonly query: URLSearchParams
}

function follow({ store, clock }: LogSource, following: Following, signal: AbortSignal): Response {
  const { namespace, pod, container, lines, query } = following
  return streaming('text/plain', async (send) => {
    let sent = 0
    while (!signal.aborted) {
      const now = clock.now()
      const due = lines.slice(sent).filter(({ at }) => at <= now)
      if (due.length > 0) send(printed(due, query))
      sent += due.length
      const object = store.get('pods', { namespace, name: pod })
      if (object === null || !isRunning(object, container)) return
      await clock.sleep(LOOKS_AGAIN_MS, signal)
    }
  })
}

function printed(lines: readonly Written[], query: URLSearchParams): string {
  const isTimed = query.get('timestamps') === 'true'
  return lines.map((line) => `${isTimed ? line.text : line.text.replace(/^\S+ /, '')}\n`).join('')
}

/** The server rounds down to a second. */
function toSecond(time: string | null): number {
  const at = time === null ? 0 : Date.parse(time)
  return Number.isNaN(at) ? 0 : Math.floor(at / 1000) * 1000
}

function containerStatuses(object: Fields): readonly unknown[] {
  return ['initContainerStatuses', 'containerStatuses'].flatMap((list) => listAt(object, 'status', list))
}

function containerState(object: Fields, container: string): unknown {
  return containerStatuses(object).find((one) => textAt(one, 'name') === container)
}

function isRunning(object: Fields, container: string): boolean {
  return textAt(containerState(object, container), 'state', 'running', 'startedAt') !== null
}

function containerId(object: Fields, container: string): string {
  return textAt(containerState(object, container), 'containerID') ?? container
}

function notBegun(object: Fields, container: string): Response | null {
  const name = textAt(object, 'metadata', 'name') ?? ''
  const state = containerState(object, container)
  const began = ['running', 'terminated'].some((kind) => textAt(state, 'state', kind, 'startedAt') !== null)
  if (began) return null
  const why = textAt(state, 'state', 'waiting', 'reason') ?? 'ContainerCreating'
  return badRequest(`container "${container}" in pod "${name}" is waiting to start: ${why}`)
}
