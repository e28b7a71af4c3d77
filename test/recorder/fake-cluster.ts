import { none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { POOL_LABEL } from '#/core/pools/own-pod.ts'
import type { Kubernetes, LogEvent, LogTail, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** A stream that a test writes to while it is being read. */
function createStream<T>() {
  const waiting: T[] = []
  let wake = (): void => {}
  let isTaken = true
  return {
    /** Everything was read, and the reader waits for more. */
    isTaken: (): boolean => isTaken,
    push: (value: T): void => {
      isTaken = false
      waiting.push(value)
      wake()
    },
    read: async function* (signal: AbortSignal): AsyncGenerator<T> {
      signal.addEventListener('abort', () => wake(), { once: true })
      while (!signal.aborted) {
        const next = waiting.shift()
        isTaken = next === undefined
        if (next !== undefined) yield next
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

export type FakeCluster = {
  readonly kubernetes: Kubernetes
  readonly pods: (event: WatchEvent) => void
  /** Of our own pools, which have another selector. */
  readonly ownPods: (event: WatchEvent) => void
  readonly events: (event: WatchEvent) => void
  /** Of ARC's records. */
  readonly runners: (event: WatchEvent) => void
  readonly logs: (pod: string, event: LogEvent) => void
  /** What `get` finds, by plural and name. */
  readonly standing: Map<string, KubeObject>
  readonly tails: Map<string, Observed<LogTail>>
  /** Everything that was written so far has been read and handled. */
  readonly taken: () => Promise<void>
}

const unexpected = async (): Promise<never> => {
  throw new Error('the recorder only reads')
}

const REFUSED = {
  create: unexpected,
  patch: unexpected,
  delete: unexpected,
  evict: unexpected,
  raw: unexpected,
  reviewToken: unexpected,
  canI: unexpected,
}

export function fakeCluster(): FakeCluster {
  const pods = createStream<WatchEvent>()
  const events = createStream<WatchEvent>()
  const runners = createStream<WatchEvent>()
  const ownPods = createStream<WatchEvent>()
  const streams = { pods, ownPods, events, ephemeralrunners: runners }
  const logs = new Map<string, ReturnType<typeof createStream<LogEvent>>>()
  const readLog = (pod: string) => {
    const stream = logs.get(pod) ?? createStream<LogEvent>()
    logs.set(pod, stream)
    return stream
  }
  const standing = new Map<string, KubeObject>()
  const tails = new Map<string, Observed<LogTail>>()
  const kubernetes: Kubernetes = {
    watch: ({ resource, labelSelector }, signal) =>
      (labelSelector === POOL_LABEL ? ownPods : streams[resource.plural as keyof typeof streams]).read(signal),
    get: async ({ resource, name }) => {
      const found = standing.get(`${resource.plural}/${name}`)
      return found === undefined ? none() : seen(found)
    },
    list: async () => none(),
    logTail: async ({ pod, container }) => tails.get(`${pod}/${container}`) ?? none(),
    followLog: async function* ({ pod }, signal) {
      for await (const event of readLog(pod).read(signal)) {
        yield event
        if (event.kind === 'ended') return
      }
    },
    ...REFUSED,
  }
  return {
    kubernetes,
    pods: pods.push,
    ownPods: ownPods.push,
    events: events.push,
    runners: runners.push,
    logs: (pod, event) => readLog(pod).push(event),
    standing,
    tails,
    taken: async () => {
      while (![...Object.values(streams), ...logs.values()].every((stream) => stream.isTaken()))
        await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

export type PodWish = {
  readonly name: string
  readonly uid?: string
  readonly state?: object
  readonly phase?: string
  readonly metadata?: object
  readonly env?: readonly object[]
}

export function runnerPod({ name, state = { running: {} }, phase = 'Running', ...wish }: PodWish): KubeObject {
  const { uid = `uid-${name}`, metadata = {}, env = [] } = wish
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'runners',
      uid,
      resourceVersion: '1',
      creationTimestamp: new Date(Date.now() - 60_000).toISOString(),
      labels: { 'actions.github.com/scale-set-name': 'linux' },
      ...metadata,
    },
    spec: { nodeName: 'n1', restartPolicy: 'Never', containers: [{ name: 'runner', image: 'runner:1', env }] },
    status: {
      phase,
      startTime: new Date(Date.now() - 50_000).toISOString(),
      containerStatuses: [
        { name: 'runner', image: 'runner:1', restartCount: 0, containerID: 'containerd://c1', state },
      ],
    },
  }
}

export function listed(items: readonly KubeObject[], vanished: readonly KubeObject[] = []): WatchEvent {
  return { kind: 'listed', items, vanished, resourceVersion: '1' }
}

export function podEvent(pod: KubeObject, reason: string, message: string): KubeObject {
  const now = new Date().toISOString()
  const { name, namespace = 'runners', uid } = pod.metadata
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${reason}`, namespace, uid: `event-${name}-${reason}`, resourceVersion: '1' },
    involvedObject: { kind: 'Pod', namespace, name, uid },
    reason,
    message,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  }
}
