import { at, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'

/** A Kubernetes event. Those of the scheduler have only `eventTime`, those of the kubelet a first and last time with a count. */
export type EventFacts = {
  readonly reason: string
  readonly message: string
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly count: number
  readonly kind: string | null
  readonly namespace: string | null
  readonly name: string | null
  readonly uid: string | null
  readonly reporter: string | null
  /** The node whose kubelet wrote it. */
  readonly host: string | null
  readonly createdAt: number | null
  /** Of an event of the kubelet about one container. Newer ones name it nowhere else. */
  readonly container: { readonly name: string; readonly isInit: boolean } | null
}

export function readEvent(object: unknown): EventFacts {
  const about = at(object, 'involvedObject') ?? at(object, 'regarding')
  const created = timeAt(object, 'metadata', 'creationTimestamp')
  const firstAt = timeAt(object, 'firstTimestamp') ?? timeAt(object, 'eventTime') ?? created
  return {
    reason: textAt(object, 'reason') ?? '',
    message: (textAt(object, 'message') ?? textAt(object, 'note') ?? '').trim(),
    firstAt,
    lastAt: timeAt(object, 'series', 'lastObservedTime') ?? timeAt(object, 'lastTimestamp') ?? firstAt,
    count: numberAt(object, 'series', 'count') ?? numberAt(object, 'count') ?? 1,
    kind: textAt(about, 'kind'),
    namespace: textAt(about, 'namespace'),
    name: textAt(about, 'name'),
    uid: textAt(about, 'uid'),
    reporter: textAt(object, 'reportingComponent') ?? textAt(object, 'source', 'component'),
    host: textAt(object, 'source', 'host'),
    createdAt: created,
    container: readContainer(textAt(about, 'fieldPath')),
  }
}

const FIELD_PATH = /^spec\.(?<list>containers|initContainers|ephemeralContainers)\{(?<name>[^{}]+)\}$/

function readContainer(fieldPath: string | null): EventFacts['container'] {
  const { list, name } = FIELD_PATH.exec(fieldPath ?? '')?.groups ?? {}
  return name === undefined ? null : { name, isInit: list === 'initContainers' }
}
