import { isWithin } from '#/core/basics/within.ts'

/**
 * The lifecycle of a death: one runner that ended (or never could start), by the UID of its pod.
 *
 *   absent ─ended─> seen ─recorded─> recorded ─saved─> saved ─gathered─> gathered ─judged─> judged ─notified─> notified
 *                    │                                   │                  ^
 *                    │                                   └─> awaiting-audit-log
 *                    └── judged (a clean end, or a pod that the API server refused) ──────────^
 *
 *   recorded   what was in memory is stored: the last object, the followed log, events
 *   saved      what the node would soon lose is stored: logs and counters
 *   gathered   the slower sources have answered: journal, ARC's record, GitHub, audit log
 *
 *   absent ─overdue─> overdue ─judged─> never-started ─ended─> seen        the pod still exists and cannot start
 *   notified ─reopened─> saved   a clean end whose job GitHub still has in progress a minute later
 *   any open state ─too-many | failed─> parked ─retry─> that state          with a back-off, for as long as it takes
 *
 * The state decides which queue a death is in (`QUEUES`), and after a restart it follows from what is stored (`looked-up`).
 * That nothing was watching when it ended (`missed`) is a fact about a death, not a state.
 */
export type DeathPhase =
  | { readonly state: 'overdue'; readonly askedAt: number }
  | { readonly state: 'never-started'; readonly cause: string }
  | ({ readonly state: 'seen' } & Open)
  | ({ readonly state: 'recorded' } & Open)
  | ({ readonly state: 'saved' } & Open)
  | ({ readonly state: 'awaiting-audit-log' } & Open)
  | ({ readonly state: 'gathered' } & Open)
  | ({ readonly state: 'judged'; readonly cause: string } & Open)
  | { readonly state: 'notified' }
  | {
      readonly state: 'parked'
      /** Where the next attempt begins. */
      readonly resumes: ResumablePhase
      readonly why: 'too-many' | 'failed'
      readonly retryMs: number
    }
  | { readonly state: 'dismissed' }

type Open = {
  /** The cause that was reported while the pod could not start; the same cause is not reported twice. */
  readonly reported: string | null
  /** Attempts that failed in this process. */
  readonly failures: number
}

type OpenPhase = Extract<DeathPhase, Open>
/** What was gathered and not stored is gathered again. */
export type ResumablePhase = Exclude<OpenPhase, { state: 'gathered' }>

export type DeathState = DeathPhase['state']

export const DEATH_STATES = [
  'overdue',
  'never-started',
  'seen',
  'recorded',
  'saved',
  'awaiting-audit-log',
  'gathered',
  'judged',
  'notified',
  'parked',
  'dismissed',
] as const satisfies readonly DeathState[]

/** What the store has about a pod whose end was seen. */
export type StoredDeath = {
  readonly verdict: { readonly cause: string; readonly kind: string } | null
  /** The stored time of death is before this end: it is about the failed start. */
  readonly isOlder: boolean
  /** The pod is gone from the API server: what is stored of it cannot be recorded again. */
  readonly isGone: boolean
  /** Whether logs and counters of its node are stored too. */
  readonly isSaved: boolean
}

export type DeathEvent =
  | { readonly kind: 'overdue'; readonly at: number }
  /** The pod still exists, but is no longer a runner pod that we watch. */
  | { readonly kind: 'unwatched' }
  | { readonly kind: 'ended' }
  /** The API server refused to create the pod. */
  | { readonly kind: 'refused' }
  /** The queue is full, and the refusal will be reported again. */
  | { readonly kind: 'postponed' }
  | { readonly kind: 'nothing-to-record' }
  | { readonly kind: 'looked-up'; readonly stored: StoredDeath | null }
  /** What was at hand is stored. */
  | { readonly kind: 'recorded' }
  | { readonly kind: 'saved' }
  /** All evidence is stored except the audit log. */
  | { readonly kind: 'audit-log-awaited' }
  | { readonly kind: 'gathered' }
  | { readonly kind: 'judged'; readonly cause: string }
  /** Handed to the channels, which keep their own record of what they sent. */
  | { readonly kind: 'notified' }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'retry' }
  /** A clean end that GitHub did not notice. `reported`: what was reported of it. */
  | { readonly kind: 'reopened'; readonly reported: string }

export type DeathEventKind = DeathEvent['kind']

type Next = DeathPhase | 'ignore' | 'forget'
type In<S extends DeathState> = Extract<DeathPhase, { state: S }>
type Answer<K extends DeathEventKind, S extends DeathState | 'absent'> =
  | 'ignore'
  | 'forget'
  | ((event: Extract<DeathEvent, { kind: K }>, phase: S extends DeathState ? In<S> : null) => Next)
type Table = { readonly [S in DeathState | 'absent']: { readonly [K in DeathEventKind]: Answer<K, S> } }

/** What keeps a pod from starting can change, so it is asked again. */
export const ASK_AGAIN_MS = 30_000

/** At once, then with a back-off: the next attempt after this many failures. The last one is repeated. */
const RETRY_MS = [1000, 5000, 30_000, 120_000, 600_000] as const

const begun = (reported: string | null): Open => ({ reported, failures: 0 })

const seen = (): Next => ({ state: 'seen', ...begun(null) })

const kept = ({ reported, failures }: Open): Open => ({ reported, failures })

const move =
  (state: 'recorded' | 'saved' | 'awaiting-audit-log' | 'gathered') =>
  (_event: unknown, phase: Open): Next => ({ state, ...kept(phase) })

const judge = ({ cause }: { readonly cause: string }, phase: Open): Next => ({ state: 'judged', cause, ...kept(phase) })

const park =
  (why: 'too-many' | 'failed') =>
  (_event: unknown, phase: OpenPhase): Next => {
    const failures = phase.failures + 1
    const retryMs = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 0
    const again = { ...phase, failures }
    return {
      state: 'parked',
      resumes: again.state === 'gathered' ? { state: 'saved', ...kept(again) } : again,
      why,
      retryMs,
    }
  }

const stops = { 'too-many': park('too-many'), failed: park('failed') }

/** Another process, or we before a restart, may have recorded it. */
const resume = ({ stored }: { readonly stored: StoredDeath | null }, { reported }: Open): Next => {
  if (stored === null) return 'ignore'
  const { verdict, isOlder, isGone, isSaved } = stored
  // The pod still exists, so recording it again gives at least as much.
  if (verdict === null) return isGone ? { state: isSaved ? 'saved' : 'recorded', ...begun(reported) } : 'ignore'
  if (verdict.kind === 'never-started' && isOlder) return { state: 'seen', ...begun(reported ?? verdict.cause) }
  // The channels read judged deaths from the store when they start.
  return { state: 'notified' }
}

const neverStarted = ({ cause }: { readonly cause: string }): Next => ({ state: 'never-started', cause })

const resumeOverdue = ({ stored }: { readonly stored: StoredDeath | null }): Next => {
  const verdict = stored?.verdict ?? null
  return verdict === null ? 'ignore' : neverStarted(verdict)
}

const nothing = {
  overdue: 'ignore',
  unwatched: 'ignore',
  ended: 'ignore',
  refused: 'ignore',
  postponed: 'ignore',
  'nothing-to-record': 'ignore',
  'looked-up': 'ignore',
  recorded: 'ignore',
  saved: 'ignore',
  'audit-log-awaited': 'ignore',
  gathered: 'ignore',
  judged: 'ignore',
  notified: 'ignore',
  'too-many': 'ignore',
  failed: 'ignore',
  retry: 'ignore',
  reopened: 'ignore',
} as const satisfies Table['absent']

export const DEATH_TABLE: Table = {
  absent: {
    ...nothing,
    overdue: ({ at }) => ({ state: 'overdue', askedAt: at }),
    ended: seen,
    refused: seen,
  },
  overdue: {
    ...nothing,
    overdue: ({ at }, { askedAt }) =>
      isWithin(ASK_AGAIN_MS, askedAt, at) ? 'ignore' : { state: 'overdue', askedAt: at },
    unwatched: 'forget',
    ended: seen,
    'looked-up': resumeOverdue,
    judged: neverStarted,
  },
  'never-started': {
    ...nothing,
    unwatched: 'forget',
    ended: (_event, { cause }) => ({ state: 'seen', ...begun(cause) }),
  },
  seen: {
    ...nothing,
    postponed: 'forget',
    'nothing-to-record': () => ({ state: 'dismissed' }),
    'looked-up': resume,
    recorded: move('recorded'),
    judged: judge,
    ...stops,
  },
  recorded: { ...nothing, saved: move('saved'), ...stops },
  saved: {
    ...nothing,
    'audit-log-awaited': move('awaiting-audit-log'),
    gathered: move('gathered'),
    ...stops,
  },
  'awaiting-audit-log': { ...nothing, gathered: move('gathered'), failed: stops.failed },
  gathered: { ...nothing, judged: judge, failed: stops.failed },
  judged: { ...nothing, notified: () => ({ state: 'notified' }), failed: stops.failed },
  notified: { ...nothing, reopened: ({ reported }) => ({ state: 'saved', ...begun(reported) }) },
  parked: { ...nothing, retry: (_event, { resumes }) => resumes },
  dismissed: nothing,
}

/** The phase after the event; `ignore` where it changes nothing, `forget` where nothing is left to remember. */
export function nextDeath(phase: DeathPhase | null, event: DeathEvent): Next {
  const answer = DEATH_TABLE[phase?.state ?? 'absent'][event.kind]
  if (typeof answer === 'string') return answer
  // The table's type pairs state with event; TypeScript cannot follow the two lookups, the table test does.
  return (answer as (event: DeathEvent, phase: DeathPhase | null) => Next)(event, phase)
}

export type QueueName = 'record' | 'save' | 'gather' | 'judge' | 'notify' | 'retry'

/** The queue that a death is in, by its state; null where the recorder has nothing to do. */
export const QUEUES = {
  overdue: 'gather',
  'never-started': null,
  seen: 'record',
  recorded: 'save',
  saved: 'gather',
  'awaiting-audit-log': 'gather',
  gathered: 'judge',
  judged: 'notify',
  notified: null,
  parked: 'retry',
  dismissed: null,
} as const satisfies Readonly<Record<DeathState, QueueName | null>>

export type StateIn<Q extends QueueName> = {
  [S in DeathState]: (typeof QUEUES)[S] extends Q ? S : never
}[DeathState]

/** The pod has ended, or there never was one. Otherwise it still exists, and its end is yet to come. */
export function hasEnded(phase: Pick<DeathPhase, 'state'> | null): boolean {
  return phase !== null && phase.state !== 'overdue' && phase.state !== 'never-started'
}

/** Nothing changes it any more. */
export function isFinished(phase: Pick<DeathPhase, 'state'>): boolean {
  return hasEnded(phase) && QUEUES[phase.state] === null
}

/** Longer than the other sources take to answer and a mass incident takes to work off. */
const STILL_OPEN_MS = 10 * 60_000

/**
 * Whether a stored death is still in the hands of a recorder, which will judge it when its evidence is complete. One that
 * stays without a verdict for longer failed, and is tried again from time to time.
 */
export function isStillOpen(
  { verdict, recordedAt }: { readonly verdict: unknown; readonly recordedAt: number },
  now: number,
): boolean {
  return verdict === null && now - recordedAt < STILL_OPEN_MS
}
