import { randomUUID } from 'node:crypto'
import { blind } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { PodOnHost } from '#/ports/this-host.ts'
import type { AgentMetrics } from './agent-metrics.ts'
import { createHeldBursts, createJournalBursts } from './journal-bursts.ts'
import { connectAgent } from './node-agent.ts'
import { askProcesses, whyNoProcesses } from './ask-processes.ts'
import type { AskedContainer } from './ask-processes.ts'
import { LIMITS, POLL_MS } from '#/protocol/limits.ts'
import type { Asked, PollAnswer, PollRequest } from '#/protocol/poll.ts'
import { AWAY_MS, awayReason, failAll, isAway, newSession } from './session.ts'
import type { RawAnswer } from '#/protocol/answer-body.ts'
import type { KnownPod } from './journal-index.ts'
import type { Session } from './session.ts'
import { createStoredLists } from './stored-lists.ts'
import { createWatchLists } from './watch-lists.ts'

/** Connected agents, in memory only: after a restart of the server they reconnect. */
export type AgentRegistry = NodeAgents & {
  /** The nodes whose agents are connected. */
  readonly nodes: () => readonly string[]
  /** The processes of a container of a watched runner, as `ps` prints them. */
  readonly processes: (node: string, asked: AskedContainer, signal: AbortSignal) => Promise<Observed<string>>
  /** Resolves when there is a question, or after the poll time. `superseded`: a newer agent serves this node. */
  readonly poll: (request: PollRequest, signal: AbortSignal) => Promise<PollAnswer | 'superseded' | 'full'>
  /** False: the question is unknown or has expired. */
  readonly isAwaited: (node: string, id: string) => boolean
  readonly answer: (node: string, id: string, answer: RawAnswer | Blind) => void
}

export type RegistryOptions = {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: AgentMetrics
  readonly limits?: Partial<RegistryLimits>
}

export type RegistryLimits = {
  readonly pollMs: number
  /** Time limit of one question, from the moment at which the agent has taken it. */
  readonly answerMs: number
  /** The same for the journal, which takes longer and is read one at a time. */
  readonly journalMs: number
  readonly mostAgents: number
  /** Unanswered questions per agent. */
  readonly mostPending: number
}

const DEFAULTS: RegistryLimits = {
  pollMs: POLL_MS,
  answerMs: 20_000,
  journalMs: 60_000,
  mostAgents: 5000,
  mostPending: 512,
}
const MOST_SUPERSEDED = 1000
/** Lets an agent that ran out of time report that itself. */
const MARGIN_MS = 2000
/** Deaths of the same burst share one look at the files of the machine. */
const SHARED_FILES_MS = 2000

type State = {
  readonly sessions: Map<string, Session>
  readonly superseded: Set<string>
  readonly lists: ReturnType<typeof createWatchLists>
  readonly stored: ReturnType<typeof createStoredLists>
  readonly held: ReturnType<typeof createHeldBursts>
  readonly options: RegistryOptions
  readonly limits: RegistryLimits
}

export function createAgentRegistry(options: RegistryOptions): AgentRegistry {
  const limits = { ...DEFAULTS, ...options.limits }
  const lists = createWatchLists()
  const [stored, held] = [createStoredLists(), createHeldBursts()]
  const state: State = { sessions: new Map(), superseded: new Set(), lists, stored, held, options, limits }
  const { sessions } = state
  return {
    of: (node) => {
      const session = sessions.get(node)
      if (session === undefined) return blind('not-asked', `no agent serves ${node}`)
      if (isAway(session, options.clock.now())) return awayReason(session)
      return connectAgent({
        node,
        ask: (asked, signal) => ask(state, session, asked, signal),
        journal: (window, signal) =>
          isServing(state, session) ? session.journal(window, signal) : Promise.resolve(awayReason(session)),
        files: () => shareFiles(state, session),
      })
    },
    nodes: () => {
      const now = options.clock.now()
      return [...sessions.values()].filter((session) => !isAway(session, now)).map(({ node }) => node)
    },
    processes: async (node, asked, signal) => {
      const session = sessions.get(node)
      if (session === undefined) return blind('not-asked', `no agent serves ${node}`)
      if (session.processes !== null) return session.processes
      const own = { node, watched: lists.of(node), ask: (to: Asked) => ask(state, session, to, signal) }
      return askProcesses(own, asked, signal)
    },
    watch: (pods) => {
      for (const node of lists.replace(pods, (name) => sessions.has(name))) sessions.get(node)?.wake()
    },
    stored: (node, uid) => {
      stored.add(node, uid)
      sessions.get(node)?.wake()
    },
    poll: (request, signal) => poll(state, request, signal),
    isAwaited: (node, id) => sessions.get(node)?.pending.has(id) === true,
    answer: (node, id, answer) => sessions.get(node)?.pending.get(id)?.settle(answer),
  }
}

async function poll(
  state: State,
  request: PollRequest,
  signal: AbortSignal,
): Promise<PollAnswer | 'superseded' | 'full'> {
  const { options, limits, lists, stored } = state
  const isKnown = state.sessions.get(request.node)?.id === request.session
  const session = join(state, request)
  if (typeof session === 'string') return session
  session.processes = whyNoProcesses(request)
  if (request.gauges !== null) options.metrics.set(session.node, request.gauges)
  session.wake()
  const own = (session.polls += 1)
  session.poll = own
  // A new agent gets an answer at once, so that it knows it is connected.
  if (isKnown && !hasNews(state, session, request)) await waitForNews(session, limits.pollMs, { options, signal })
  const isCurrent = session.poll === own
  if (isCurrent) {
    session.poll = null
    session.leftAt = options.clock.now()
    void noticeAbsence(state, session)
  }
  if (state.sessions.get(session.node) !== session) return 'superseded'
  // A dropped poll must not take its questions with it.
  if (!isCurrent || signal.aborted) return { questions: [], watch: null, stored: null }
  const done = stored.newerThan(session.node, request.stored)
  session.storedSent = done?.version ?? session.storedSent
  return { questions: takeQuestions(session), watch: lists.newerThan(session.node, request.watch), stored: done }
}

function takeQuestions({ waiting, pending }: Session): PollAnswer['questions'] {
  const taken = [...waiting.values()].slice(0, LIMITS.questions)
  for (const { id } of taken) {
    waiting.delete(id)
    pending.get(id)?.taken()
  }
  return taken
}

function hasNews({ lists, stored }: State, session: Session, request: PollRequest): boolean {
  const { node, waiting, storedSent } = session
  if (waiting.size > 0 || lists.newerThan(node, request.watch) !== null) return true
  // What was sent and is not confirmed yet goes with the next answer, and makes none.
  return stored.hasMoreThan(node, storedSent ?? request.stored)
}

async function waitForNews(
  session: Session,
  ms: number,
  { options, signal }: { readonly options: RegistryOptions; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController()
  session.wake = () => over.abort()
  await options.clock.sleep(ms, AbortSignal.any([over.signal, signal]))
}

/** The newest run of an agent serves its node; an older one takes over again when the newer one is gone. */
function join(state: State, { node, session: id }: PollRequest): Session | 'superseded' | 'full' {
  const { sessions, superseded, options } = state
  const known = sessions.get(node)
  if (known?.id === id) return known
  const now = options.clock.now()
  if (known !== undefined && superseded.has(id) && !isAway(known, now)) return 'superseded'
  if (known === undefined && !hasRoom(state, now)) return 'full'
  const session = openSession(state, newSession(node, id, now))
  sessions.set(node, session)
  superseded.delete(id)
  options.log.info('agent connected', { node })
  if (known !== undefined) {
    superseded.add(known.id)
    const [oldest] = superseded
    if (superseded.size > MOST_SUPERSEDED && oldest !== undefined) superseded.delete(oldest)
    failAll(known, blind('unreachable', `the agent on ${node} was replaced before it answered`))
    known.wake()
  }
  return session
}

function hasRoom({ sessions, limits, lists }: State, now: number): boolean {
  if (sessions.size < limits.mostAgents) return true
  const gone = [...sessions.values()].find((session) => isAway(session, now))
  if (gone === undefined) return false
  lists.forget(gone.node)
  return sessions.delete(gone.node)
}

/** A poll has ended: without the next one the agent counts as gone. */
async function noticeAbsence({ sessions, options }: State, session: Session): Promise<void> {
  const { clock, log, metrics } = options
  const { polls } = session
  await clock.sleep(AWAY_MS)
  // Decided by poll count: a timer can fire slightly before the clock reaches its time.
  if (sessions.get(session.node) !== session || session.polls !== polls) return
  metrics.forget(session.node)
  log.warn('agent disconnected', { node: session.node })
  failAll(session, blind('unreachable', `the agent on ${session.node} disconnected before it answered`))
}

function openSession(state: State, session: Session): Session {
  const { node } = session
  session.journal = createJournalBursts({
    node,
    clock: state.options.clock,
    held: state.held,
    ask: (asked, signal) => ask(state, session, asked, signal),
    watched: () => state.lists.of(node).map(toKnownPod),
  })
  return session
}

function toKnownPod({ uid, containers }: PodOnHost): KnownPod {
  return { uid, containerIds: containers.map(({ id }) => id) }
}

function isServing({ sessions, options }: State, session: Session): boolean {
  return sessions.get(session.node) === session && !isAway(session, options.clock.now())
}

/** Nobody's signal ends it: it is for all that ask. */
function shareFiles(state: State, session: Session): Promise<RawAnswer | Blind> {
  const now = state.options.clock.now()
  const known = session.files
  if (known !== null && now - known.askedAt < SHARED_FILES_MS && now >= known.askedAt) return known.answer
  const answer = ask(state, session, { kind: 'files' }, new AbortController().signal)
  const shared = { askedAt: now, answer }
  session.files = shared
  // The next one asks again for what the agent failed to give.
  void answer.then((given) => {
    const isGiven = given.kind === 'answered' && given.head.kind === 'files'
    if (!isGiven && session.files === shared) session.files = null
  })
  return answer
}

async function ask(state: State, session: Session, asked: Asked, signal: AbortSignal): Promise<RawAnswer | Blind> {
  const { node, pending, waiting } = session
  const { mostPending, answerMs, journalMs } = state.limits
  if (!isServing(state, session)) return awayReason(session)
  if (pending.size >= mostPending) {
    return blind('refused-by-limits', `the agent on ${node} already has ${mostPending} open questions`)
  }
  const id = randomUUID()
  const limitMs = asked.kind === 'journal' ? journalMs : answerMs
  const { promise, resolve } = Promise.withResolvers<RawAnswer | Blind>()
  const answered = new AbortController()
  const taken = (): void =>
    void state.options.clock.sleep(limitMs, answered.signal).then(() => {
      if (!answered.signal.aborted)
        resolve(blind('timeout', `the agent on ${node} did not answer within ${limitMs} ms`))
    })
  pending.set(id, { settle: resolve, taken })
  waiting.set(id, { id, withinMs: Math.max(1, limitMs - MARGIN_MS), asked })
  session.wake()
  const stopped = (): void =>
    resolve(blind('stopped', `the question to the agent on ${node} was cancelled: the server is stopping`))
  signal.addEventListener('abort', stopped, { once: true })
  if (signal.aborted) stopped()
  const answer = await promise
  answered.abort()
  signal.removeEventListener('abort', stopped)
  pending.delete(id)
  waiting.delete(id)
  return answer
}
