import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { ContainerState, PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'

/** Smaller differences are the normal delay of an event. */
const NOTICED_MS = 5000

/**
 * The API server and the node have separate clocks. The kubelet stamps an event with the node's, the API server stamps
 * its creation with its own: the difference is the skew, and all times from the node are shifted by it.
 */
export function alignClocks(evidence: Evidence): Evidence {
  const skew = computeSkew(evidence.events) || computeDeleteSkew(evidence)
  if (Math.abs(skew) < NOTICED_MS) return evidence
  const move = (at: number | null) => (at === null ? null : at + skew)
  return {
    ...evidence,
    pod: evidence.pod === null ? null : movePod(evidence.pod, move),
    events: evidence.events.map((event) =>
      event.host === null ? event : { ...event, firstAt: move(event.firstAt), lastAt: move(event.lastAt) },
    ),
    clues: evidence.clues.map((clue) => (isDatedByNode(clue) ? { ...clue, at: move(clue.at) } : clue)),
    log:
      evidence.log === null
        ? null
        : { ...evidence.log, firstAt: move(evidence.log.firstAt), lastAt: move(evidence.log.lastAt) },
    boots: evidence.boots.map(({ id, from, to }) => ({ id, from: from + skew, to: to + skew })),
  }
}

function isDatedByNode({ source }: Fact): boolean {
  return source.startsWith('journal') || source.startsWith('logs') || source === 'kubernetes/events'
}

/** The median over events that occurred once: a repeated event changes its times. */
export function computeSkew(events: readonly EventFacts[]): number {
  const delays = events
    .filter(
      ({ host, count, createdAt, firstAt }) => host !== null && count === 1 && createdAt !== null && firstAt !== null,
    )
    .map(({ createdAt, firstAt }) => (createdAt ?? 0) - (firstAt ?? 0))
    .toSorted((a, b) => a - b)
  return delays[Math.floor(delays.length / 2)] ?? 0
}

/** A busy kubelet sees a delete later than others; nothing sees one an hour later. */
const BUSY_MS = 60_000
const LARGEST_MS = 600_000

/** The API server stamps the delete of the pod, the kubelet logs it at once: with one of each, the difference is the skew. */
export function computeDeleteSkew({ auditLog, clues }: Pick<Evidence, 'auditLog' | 'clues'>): number {
  const asked = auditLog.filter(
    ({ verb, resource, subresource, user, status }) =>
      resource === 'pods' &&
      (verb === 'delete' ? subresource === null : subresource === 'eviction') &&
      !user.startsWith('system:node:') &&
      (status ?? 0) < 400,
  )
  const seen = clues.filter(({ is, about }) => is === 'pod-delete-seen' && about === 'subject')
  const [at, seenAt] = [asked[0]?.at ?? null, seen[0]?.at ?? null]
  if (asked.length !== 1 || seen.length !== 1 || at === null || seenAt === null) return 0
  const skew = at - seenAt
  return Math.abs(skew) >= BUSY_MS && Math.abs(skew) <= LARGEST_MS ? skew : 0
}

function movePod(pod: PodFacts, move: (at: number | null) => number | null): PodFacts {
  return {
    ...pod,
    startedAt: move(pod.startedAt),
    containers: pod.containers.map((container) => ({
      ...container,
      state: moveState(container.state, move),
      last: moveState(container.last, move),
    })),
  }
}

function moveState(state: ContainerState, move: (at: number | null) => number | null): ContainerState {
  switch (state.kind) {
    case 'running':
      return { ...state, startedAt: move(state.startedAt) }
    case 'terminated':
      return { ...state, startedAt: move(state.startedAt), finishedAt: move(state.finishedAt) }
    case 'waiting':
    case 'unknown':
      return state
  }
}
