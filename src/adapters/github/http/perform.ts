import { backoffMs } from '#/core/basics/backoff.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Answer, Ask, Redirected } from './ask.ts'
import { blindOutcome } from './ask.ts'
import type { Attempt, Wire } from './attempt.ts'
import { attempt } from './attempt.ts'
import type { Meter } from './meter.ts'
import type { Bearer, Tokens } from './tokens.ts'

export type PerformMeans = {
  readonly wire: Wire
  readonly tokens: Tokens
  readonly findMeter: (credential: string) => Meter
  readonly clock: Clock
  readonly patienceMs: number
  readonly random: () => number
}

const MOST_TRIES = 4
/** The number of tries is the limit. */
const RETRY = { firstMs: 1000, mostMs: Infinity }
const NEVER = new AbortController().signal
const PASSING = new Set<string>(['server-error', 'timeout', 'unreachable', 'truncated'])

/** Tries until there is an answer worth giving: with a fresh token, behind a limit, or after a pause. */
export async function perform(means: PerformMeans, ask: Ask, url: URL): Promise<Answer | Redirected> {
  const signal = ask.signal ?? NEVER
  let refused: Refusal | null = null
  for (let tries = 1; ; tries += 1) {
    const bearer = await otherBearer(means, ask, refused)
    if (bearer.kind !== 'bearer') return bearer
    const made = await attemptInTurn(means, { ask, url, bearer, signal })
    if (made.rejected && refused === null) {
      refused = { token: bearer.token, answer: made.answer }
      if (ask.as.kind === 'app') means.tokens.correctClock(means.wire.skew.aheadMs() ?? 0)
      continue
    }
    const waitMs = tries < MOST_TRIES ? pauseMs(means, made, ask.again, tries) : null
    if (waitMs === null) return made.answer
    await means.clock.sleep(waitMs, signal)
    if (signal.aborted) return STOPPED
  }
}

type Refusal = { readonly token: string; readonly answer: Answer | Redirected }

/** A token that GitHub has not refused yet; where there is none, GitHub's refusal is the answer. */
async function otherBearer(
  { tokens }: PerformMeans,
  { as, signal = NEVER }: Ask,
  refused: Refusal | null,
): Promise<Bearer | Answer | Redirected> {
  const bearer = await orStopped(tokens.bearer(as, refused?.token), signal)
  return refused !== null && bearer.kind === 'bearer' && bearer.token === refused.token ? refused.answer : bearer
}

async function attemptInTurn(
  { findMeter, patienceMs, wire }: PerformMeans,
  one: { readonly ask: Ask; readonly url: URL; readonly bearer: Bearer; readonly signal: AbortSignal },
): Promise<Attempt> {
  const meter = findMeter(one.bearer.credential)
  const entry = await meter.enter(one.ask.resource ?? 'core', patienceMs, one.signal)
  if (entry.kind === 'entered') return attempt(wire, { ...one, meter }).finally(entry.leave)
  const answer = entry.kind === 'stopped' ? STOPPED : held(one.bearer.credential, entry.until)
  return { answer, reached: false, rejected: false }
}

/** Null where another try would not help, or could do the same thing twice. */
function pauseMs(means: PerformMeans, made: Attempt, again: Ask['again'], tries: number): number | null {
  const { answer, reached } = made
  if (answer.kind === 'rate-limited') {
    const waitMs = answer.until - means.clock.now()
    return waitMs <= means.patienceMs ? waitMs : null
  }
  if (answer.kind !== 'blind' || !PASSING.has(answer.reason.code)) return null
  if (again === 'harmful' && reached) return null
  return backoffMs(RETRY, tries - 1, means.random())
}

const STOPPED = blindOutcome('stopped', 'given up because we are stopping')

function held(credential: string, until: number): Answer {
  const detail = `GitHub's rate limit holds ${credential} back until ${new Date(until).toISOString()}`
  return { kind: 'rate-limited', until, detail }
}

/** A token is fetched for all who wait for it; one of them stopping must not stop it for the others. */
async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | typeof STOPPED> {
  if (signal.aborted) return STOPPED
  const { promise, resolve } = Promise.withResolvers<typeof STOPPED>()
  const stop = (): void => resolve(STOPPED)
  signal.addEventListener('abort', stop, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop))
}
