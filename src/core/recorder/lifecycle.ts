/**
 * The lifecycle of a death: one runner that ended (or never could start), by the UID of its pod.
 *
 *   absent ─ended─> seen ─recorded─> recorded ─gathered─> awaiting-audit-log ─judged─> judged ─notified─> notified
 *                    │                   └──────────────── judged ─────────────────────^
 *                    └── judged (a clean end, or a pod that the API server refused) ───┘
 *
 *   absent ─overdue─> overdue ─judged─> never-started ─ended─> seen        the pod still exists and cannot start
 *   seen, recorded, awaiting-audit-log, judged ─too-many | failed─> parked      this process gives up; the next start resumes
 *
 * The state decides which queue a death is in (`QUEUES`), and after a restart it follows from what is stored (`looked-up`).
 * That nothing was watching when it ended (`missed`) is a fact about a death, not a state.
 */
export type DeathPhase =
  | { readonly state: 'overdue'; readonly askedAt: number }
  | { readonly state: 'never-started'; readonly cause: string }
  | ({ readonly state: 'seen' } & Reported)
  | ({ readonly state: 'recorded' } & Reported)
  | ({ readonly state: 'awaiting-audit-log' } & Reported)
  | ({ readonly state: 'judged'; readonly cause: string } & Reported)
  | { readonly state: 'notified' }
  | { readonly state: 'parked'; readonly stoppedIn: OpenState; readonly why: 'too-many' | 'failed' }
  | { readonly state: 'dismissed' }

/** The cause that was reported while the pod could not start; the same cause is not reported twice. */
type Reported = { readonly reported: string | null }

export type DeathState = DeathPhase['state']

/** In these states the recorder still has work to do. */
export type OpenState = 'seen' | 'recorded' | 'awaiting-audit-log' | 'judged'

export const DEATH_STATES = [
  'overdue',
  'never-started',
  'seen',
  'recorded',
  'awaiting-audit-log',
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
  /** The pod is gone from the API server: no more evidence can be collected from it. */
  readonly isGone: boolean
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
  /** All evidence is stored except the audit log. */
  | { readonly kind: 'gathered' }
  | { readonly kind: 'judged'; readonly cause: string }
  /** Handed to the channels, which keep their own record of what they sent. */
  | { readonly kind: 'notified' }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'failed' }

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

const seen = (): Next => ({ state: 'seen', reported: null })

const judge = (event: { readonly cause: string }, { reported }: Reported): Next => ({
  state: 'judged',
  cause: event.cause,
  reported,
})

const park =
  (why: 'too-many' | 'failed') =>
  (_event: unknown, { state }: { readonly state: OpenState }): Next => ({ state: 'parked', stoppedIn: state, why })

/** Another process, or we before a restart, may have recorded it. */
const resume = ({ stored }: { readonly stored: StoredDeath | null }, { reported }: Reported): Next => {
  if (stored === null) return 'ignore'
  const { verdict, isOlder, isGone } = stored
  // The pod still exists, so recording it again gives at least as much.
  if (verdict === null) return isGone ? { state: 'awaiting-audit-log', reported } : 'ignore'
  if (verdict.kind === 'never-started' && isOlder) return { state: 'seen', reported: reported ?? verdict.cause }
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
  gathered: 'ignore',
  judged: 'ignore',
  notified: 'ignore',
  'too-many': 'ignore',
  failed: 'ignore',
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
    overdue: ({ at }, { askedAt }) => (at - askedAt < ASK_AGAIN_MS ? 'ignore' : { state: 'overdue', askedAt: at }),
    unwatched: 'forget',
    ended: seen,
    'looked-up': resumeOverdue,
    judged: neverStarted,
  },
  'never-started': {
    ...nothing,
    unwatched: 'forget',
    ended: (_event, { cause }) => ({ state: 'seen', reported: cause }),
  },
  seen: {
    ...nothing,
    postponed: 'forget',
    'nothing-to-record': () => ({ state: 'dismissed' }),
    'looked-up': resume,
    recorded: (_event, { reported }) => ({ state: 'recorded', reported }),
    judged: judge,
    'too-many': park('too-many'),
    failed: park('failed'),
  },
  recorded: {
    ...nothing,
    gathered: (_event, { reported }) => ({ state: 'awaiting-audit-log', reported }),
    judged: judge,
    'too-many': park('too-many'),
    failed: park('failed'),
  },
  // It has waited for the audit log, and waits for a place in the queue as long as it takes: never `too-many`.
  'awaiting-audit-log': { ...nothing, judged: judge, failed: park('failed') },
  judged: { ...nothing, notified: () => ({ state: 'notified' }), failed: park('failed') },
  notified: nothing,
  parked: nothing,
  dismissed: nothing,
}

/** The phase after the event; `ignore` where it changes nothing, `forget` where nothing is left to remember. */
export function nextDeath(phase: DeathPhase | null, event: DeathEvent): Next {
  const answer = DEATH_TABLE[phase?.state ?? 'absent'][event.kind]
  if (typeof answer === 'string') return answer
  // The table's type pairs state with event; TypeScript cannot follow the two lookups, the table test does.
  return (answer as (event: DeathEvent, phase: DeathPhase | null) => Next)(event, phase)
}

export type QueueName = 'record' | 'judge' | 'notify'

/** The queue that a death is in, by its state; null where the recorder has nothing to do. */
export const QUEUES = {
  overdue: 'judge',
  'never-started': null,
  seen: 'record',
  recorded: 'judge',
  'awaiting-audit-log': 'judge',
  judged: 'notify',
  notified: null,
  parked: null,
  dismissed: null,
} as const satisfies Readonly<Record<DeathState, QueueName | null>>

export type StateIn<Q extends QueueName> = {
  [S in DeathState]: (typeof QUEUES)[S] extends Q ? S : never
}[DeathState]

/** The pod has ended, or there never was one. Otherwise it still exists, and its end is yet to come. */
export function hasEnded(phase: Pick<DeathPhase, 'state'> | null): boolean {
  return phase !== null && phase.state !== 'overdue' && phase.state !== 'never-started'
}

/** Nothing changes it any more in this process. */
export function isFinished(phase: Pick<DeathPhase, 'state'>): boolean {
  return hasEnded(phase) && QUEUES[phase.state] === null
}

/** Longer than the other sources take to answer and a mass incident takes to work off. */
const STILL_OPEN_MS = 10 * 60_000

/**
 * Whether a stored death is still in the hands of a recorder, which will judge it when its evidence is complete. One that
 * stays without a verdict for longer was parked.
 */
export function isStillOpen(
  { verdict, recordedAt }: { readonly verdict: unknown; readonly recordedAt: number },
  now: number,
): boolean {
  return verdict === null && now - recordedAt < STILL_OPEN_MS
}
