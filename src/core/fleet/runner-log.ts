import { runnerName } from '#/core/kubernetes/runner-container.ts'
import type { Runner } from '#/core/fleet/fleet.ts'
import type { FindLogs } from './container-logs.ts'
import type { ExcerptLine } from '#/core/fleet/snapshot.ts'

const CONFLICT = [
  'A session for this runner already exists',
  'Error: Conflict. Retrying until reconnected',
  'TaskAgentSessionConflictException',
]
const DEREGISTERED = [
  'The runner registration has been deleted from the server',
  'Registration was not found or is not medium trust',
]
const CANCELLED = ['Job message not found', 'Skipping message Job', 'job was canceled', 'Job message already acquired']
const DEPRECATED = ['is deprecated and cannot receive messages']
/** A runner that took a job has recovered from earlier errors. */
const STARTED = ['Running job: ']
const FINISHED = ['completed with result: ']
const WORKED = [...STARTED, ...FINISHED]
/** So has one with a session; a skipped message does not end the session, so this does not clear a cancelled hand-off. */
const CONNECTED = ['Listening for Jobs', 'Runner reconnected']

/** Runner log lines that audits need. */
export const RUNNER_MENTIONS: readonly string[] = [
  ...CONFLICT,
  ...DEREGISTERED,
  ...CANCELLED,
  ...DEPRECATED,
  ...WORKED,
  ...CONNECTED,
]

/** A runner's last log lines about its state; null if it has none or has worked since. */
export type RunnerLog = {
  /** Whether there is a log of this pod. */
  readonly isRead: boolean
  /** Another pod uses or used its JIT configuration. */
  readonly conflict: ExcerptLine | null
  readonly deregistered: ExcerptLine | null
  /** Its job had been cancelled; it took none after that. */
  readonly cancelled: ExcerptLine | null
  readonly deprecated: ExcerptLine | null
  /** It took a job, and nothing shows the end of that. */
  readonly working: ExcerptLine | null
  /** The last line of deploy/runner/vitals.sh. */
  readonly vitals: ExcerptLine | null
}

const NO_LOG: RunnerLog = {
  isRead: false,
  conflict: null,
  deregistered: null,
  cancelled: null,
  deprecated: null,
  working: null,
  vitals: null,
}

export function readRunnerLog({ namespace, name, pod }: Runner, findLogs: FindLogs): RunnerLog {
  const container = runnerName(pod)
  const [log] = container === null ? [] : findLogs(namespace, name, container)
  // A runner's pods all have its name: a log that ends before this pod was created belongs to an earlier one.
  const isOwn = log?.previous === false && (log.lastAt ?? Infinity) >= (pod?.createdAt ?? 0)
  if (!isOwn) return NO_LOG
  const { lines } = log
  return {
    isRead: true,
    conflict: findLastMention(lines, CONFLICT, [...WORKED, ...CONNECTED]),
    deregistered: findLastMention(lines, DEREGISTERED, [...WORKED, ...CONNECTED]),
    cancelled: findLastMention(lines, CANCELLED, WORKED),
    deprecated: findLastMention(lines, DEPRECATED, WORKED),
    working: findLastMention(lines, STARTED, FINISHED),
    vitals: log.vitals ?? null,
  }
}

function findLastMention(
  lines: readonly ExcerptLine[],
  mentioned: readonly string[],
  clearing: readonly string[],
): ExcerptLine | null {
  const since = lines.findLastIndex(({ text }) => mentions(text, clearing)) + 1
  return lines.slice(since).findLast(({ text }) => mentions(text, mentioned)) ?? null
}

function mentions(text: string, mentioned: readonly string[]): boolean {
  return mentioned.some((mention) => text.includes(mention))
}
