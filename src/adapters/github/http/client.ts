import type { BudgetOwner } from '#/core/github/budget-owner.ts'
import { tokenOwner } from '#/core/github/budget-owner.ts'
import type { HttpMeans } from '#/adapters/http/exchange.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Budget } from '#/ports/github.ts'
import type { Answer, Ask, Redirected, Unsuccessful } from './ask.ts'
import { blindOutcome } from './ask.ts'
import type { Wire } from './attempt.ts'
import { createClockSkew } from './clock-skew.ts'
import { createEtagStore } from './etag-store.ts'
import type { Figures, Meter } from './meter.ts'
import { createMeter } from './meter.ts'
import type { PerformMeans } from './perform.ts'
import { perform } from './perform.ts'
import type { Scrub } from './scrub.ts'
import { createScrub } from './scrub.ts'
import type { Credential, Tokens } from './tokens.ts'
import { createTokens } from './tokens.ts'

export type ClientOptions = {
  readonly credential: Credential
  /** `https://api.github.com`, or `https://HOST/api/v3` for GitHub Enterprise. */
  readonly baseUrl: string
  /** Its clock times the requests; connections are bounded by `concurrent`. */
  readonly http: HttpMeans
  readonly clock: Clock
  readonly userAgent?: string | undefined
  /** Requests under way at once, for each credential. */
  readonly concurrent?: number | undefined
  /** How long a request waits for a rate limit before it says `rate-limited`. */
  readonly patienceMs?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly maxBytes?: number | undefined
  readonly etagBytes?: number | undefined
  /** In [0, 1): spreads the retries of many replicas. */
  readonly random?: (() => number) | undefined
}

/** Asks GitHub and deals with all that has nothing to do with the question: tokens, limits, retries, conditional requests. */
export type Client = {
  readonly ask: (ask: Ask) => Promise<Answer>
  /** Where GitHub sends us for a file. */
  readonly locate: (ask: Ask) => Promise<Redirected | Unsuccessful>
  readonly http: HttpMeans
  readonly timeoutMs: number
  readonly scrub: Scrub
  readonly credentialKind: Credential['kind']
  /** Whose rate limit our requests use up. */
  readonly budgetOwner: BudgetOwner
  readonly budgets: () => readonly Budget[]
  /** What the rate limit endpoint reported for a credential. */
  readonly setBudgets: (credential: string, figures: readonly Figures[]) => readonly Budget[]
  readonly clockSkewMs: () => number | null
}

export function createClient(options: ClientOptions): Client {
  const { credential, clock, http, concurrent = 8, timeoutMs = 30_000 } = options
  const scrub = createScrub()
  const wire = createWire(options, scrub, timeoutMs)
  const meters = new Map<string, Meter>()
  const findMeter = (name: string): Meter => {
    const meter = meters.get(name) ?? createMeter(wire.skew.githubClock, name, concurrent)
    meters.set(name, meter)
    return meter
  }

  const base = options.baseUrl.replace(/\/+$/u, '')
  const send = async (ask: Ask): Promise<Answer | Redirected> => {
    const url = buildUrl(base, ask)
    return url === null
      ? blindOutcome('unsupported', 'GitHub has nothing of that name: a part of it is empty or a dot')
      : perform(means, ask, url)
  }
  const ask = async (question: Ask): Promise<Answer> => {
    const answer = await send(question)
    return answer.kind === 'redirected' ? blindOutcome('malformed', 'GitHub redirects to another host') : answer
  }
  const tokens: Tokens = createTokens(credential, { clock, githubClock: wire.skew.githubClock, scrub, ask })
  const { patienceMs = 30_000, random = Math.random } = options
  const means: PerformMeans = { wire, tokens, findMeter, clock: wire.skew.githubClock, patienceMs, random }

  return {
    ask,
    locate: async (question) => {
      const answer = await send({ ...question, redirects: 'returned' })
      return answer.kind === 'ok' ? blindOutcome('malformed', 'GitHub answers where it should redirect') : answer
    },
    http,
    timeoutMs,
    scrub,
    credentialKind: credential.kind,
    budgetOwner: credential.kind === 'app' ? 'installation' : tokenOwner(credential.token.reveal()),
    budgets: () => [...meters.values()].flatMap((meter) => meter.budgets()),
    setBudgets: (name, figures) => {
      const meter = findMeter(name)
      meter.set(figures)
      return meter.budgets()
    },
    clockSkewMs: wire.skew.aheadMs,
  }
}

function createWire(options: ClientOptions, scrub: Scrub, timeoutMs: number): Wire {
  const { clock, http, userAgent = 'signalbox', maxBytes = 16 * 2 ** 20, etagBytes = 16 * 2 ** 20 } = options
  const skew = createClockSkew(clock)
  return {
    http,
    now: skew.githubClock.now,
    scrub,
    etags: createEtagStore(etagBytes),
    userAgent,
    timeoutMs,
    maxBytes,
    skew,
  }
}

function buildUrl(base: string, { path, query = {} }: Ask): URL | null {
  const parts = path.map(String)
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return null
  const url = new URL(`${base}/${parts.map(encodeURIComponent).join('/')}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return url
}
