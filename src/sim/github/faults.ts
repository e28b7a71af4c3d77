import type { Clock } from '#/ports/clock.ts'
import type { FetchHandler } from './fetch-handler.ts'

/** What a test lets go wrong between GitHub and the caller. */
export type Fault =
  /** Any other answer: `{ status: 502 }`, `{ status: 429 }` without headers, a body of the wrong type. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** A proxy's page instead of GitHub's answer. */
  | { readonly kind: 'html'; readonly status: number }
  /** GitHub's answer with nothing in it. */
  | { readonly kind: 'empty' }
  /** The first bytes, then the connection breaks, or (`clean`) the body just ends, as behind a bad proxy. */
  | { readonly kind: 'cut'; readonly afterBytes: number; readonly clean?: boolean }
  /** The call never gets an answer: the connection is closed, before or after GitHub did what was asked. */
  | { readonly kind: 'hang-up'; readonly when: 'before' | 'after' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The list ends early: no `Link`, so the rest of the pages is not found. */
  | { readonly kind: 'without-link' }
  /** Something happens at GitHub just before this call is answered: a runner goes between two pages. */
  | { readonly kind: 'meanwhile'; readonly happens: () => void }

export type FaultRule = {
  readonly fault: Fault
  readonly method?: string
  /** Matched against path and query. */
  readonly path?: RegExp
  /** How many calls it hits; once if not said. */
  readonly times?: number
}

export type Faults = {
  readonly add: (rule: FaultRule) => void
  readonly clear: () => void
  /** Rules that never hit: a test that set one has not tested it. */
  readonly unfired: () => readonly FaultRule[]
}

type Armed = { readonly rule: FaultRule; left: number; fired: boolean }

/** The connection is gone: a `fetch` that calls the handler directly rejects, a server destroys the socket. */
export class HungUp extends Error {
  readonly code = 'SIM_HUNG_UP'
}

export function createFaults(clock: Clock): Faults & { readonly around: (next: FetchHandler) => FetchHandler } {
  let armed: readonly Armed[] = []
  /** One rule for one call, in the order in which they were set: two rules of one call each hit two calls. */
  const take = (request: Request): Fault | null => {
    const hit = armed.find((entry) => entry.left > 0 && applies(entry.rule, request))
    if (hit === undefined) return null
    hit.left -= 1
    hit.fired = true
    return hit.rule.fault
  }
  return {
    add: (rule) => {
      armed = [...armed, { rule, left: rule.times ?? 1, fired: false }]
    },
    clear: () => {
      armed = []
    },
    unfired: () => armed.filter((entry) => !entry.fired).map((entry) => entry.rule),
    around: (next) => async (request) => {
      const fault = take(request)
      return fault === null ? next(request) : suffering(fault, next, clock)(request)
    },
  }
}

function applies(rule: FaultRule, request: Request): boolean {
  const { pathname, search } = new URL(request.url)
  if (rule.method !== undefined && rule.method !== request.method) return false
  return rule.path === undefined || rule.path.test(`${pathname}${search}`)
}

function suffering(fault: Fault, next: FetchHandler, clock: Clock): FetchHandler {
  switch (fault.kind) {
    case 'answer':
      return async () => new Response(fault.body ?? null, { status: fault.status, headers: fault.headers ?? {} })
    case 'html':
      return async () => htmlPage(fault.status)
    case 'empty':
      return async (request) => withBody(await next(request), null)
    case 'cut':
      return async (request) => cutShort(await next(request), fault)
    case 'hang-up':
      return async (request) => {
        if (fault.when === 'after') await next(request)
        throw new HungUp('the connection was closed')
      }
    case 'delay':
      return async (request) => {
        await clock.sleep(fault.ms, request.signal)
        return next(request)
      }
    case 'without-link':
      return async (request) => {
        const response = await next(request)
        response.headers.delete('link')
        return response
      }
    case 'meanwhile':
      return async (request) => {
        fault.happens()
        return next(request)
      }
  }
}

function htmlPage(status: number): Response {
  const body = `<html><head><title>${status}</title></head><body><h1>Bad Gateway</h1></body></html>`
  return new Response(body, { status, headers: { 'content-type': 'text/html' } })
}

function withBody(response: Response, body: ConstructorParameters<typeof Response>[0]): Response {
  return new Response(body, { status: response.status, headers: response.headers })
}

async function cutShort(response: Response, cut: Extract<Fault, { kind: 'cut' }>): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer())
  const start = whole.subarray(0, cut.afterBytes)
  if (cut.clean === true) return withBody(response, start)
  let isSent = false
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isSent) return controller.error(new HungUp('the connection was closed'))
      isSent = true
      return controller.enqueue(start)
    },
  })
  const answer = withBody(response, broken)
  answer.headers.set('content-length', String(whole.byteLength))
  return answer
}
