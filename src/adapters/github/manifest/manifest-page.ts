import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AppManifest } from '#/core/github/app-manifest.ts'
import { endPage, pageHeaders, startPage } from './page-text.ts'
import type { PageEnd } from './page-text.ts'

const LOOPBACK = '127.0.0.1'
const MOST_CONNECTIONS = 32
const REQUEST_MS = 10_000
const LARGEST_HEADERS = 16 * 1024
const CODE = /^[A-Za-z0-9_-]{1,200}$/
const ARRIVAL = '/created'

/** The browser came back from GitHub. Its page waits until it is answered. */
export type Arrival = { readonly code: string; readonly answer: (end: PageEnd) => Promise<void> }

export type ManifestPage = AsyncDisposable & {
  /** What a person opens. Without its last part, which is random, nobody else on this machine gets the state. */
  readonly url: string
  readonly port: number
  /** Rejects when the signal aborts. */
  readonly arrival: (signal: AbortSignal) => Promise<Arrival>
}

export type ManifestPageMeans = {
  readonly build: (redirectUrl: string) => AppManifest
  readonly formAt: (state: string) => string
  /** A text that nobody can guess; each call another one. */
  readonly draw: () => string
  /** Called for each answer that is not GitHub's to this page. */
  readonly onStranger: (why: string) => void
}

type Visit = Readonly<Record<'host' | 'state' | 'startPath', string>> &
  ManifestPageMeans & {
    readonly manifest: AppManifest
    readonly headers: Readonly<Record<string, string>>
    readonly take: (arrival: Arrival) => boolean
  }

/** A page on a free port of the loopback that posts the manifest to GitHub, and takes one code. */
export async function openManifestPage(means: ManifestPageMeans): Promise<ManifestPage> {
  const server = createServer({ maxHeaderSize: LARGEST_HEADERS, requestTimeout: REQUEST_MS })
  server.maxConnections = MOST_CONNECTIONS
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  // A server that listens on a TCP port has such an address.
  const { port } = server.address() as AddressInfo
  const host = `${LOOPBACK}:${port}`
  const state = means.draw()
  const first = Promise.withResolvers<Arrival>()
  let isTaken = false
  const take = (arrival: Arrival): boolean => {
    if (isTaken) return false
    isTaken = true
    first.resolve(arrival)
    return true
  }
  const startPath = `/start/${means.draw()}`
  const manifest = means.build(`http://${host}${ARRIVAL}`)
  const headers = pageHeaders(new URL(means.formAt(state)).origin)
  const visit: Visit = { ...means, host, state, startPath, manifest, headers, take }
  server.on('request', (request, response) => respond(visit, request, response))
  return {
    url: `http://${host}${startPath}`,
    port,
    arrival: (signal) => untilAborted(first.promise, signal),
    [Symbol.asyncDispose]: () => close(server),
  }
}

function respond(visit: Visit, request: IncomingMessage, response: ServerResponse): void {
  const show = (status: number, html: string): void => {
    response.writeHead(status, visit.headers).end(html)
  }
  // A page of another site cannot reach this one by a name that it points here.
  if (request.headers.host !== visit.host) return show(421, endPage(REFUSED.host))
  if (request.method !== 'GET') return show(405, endPage(REFUSED.method))
  const target = `http://${visit.host}${request.url ?? '/'}`
  const url = URL.canParse(target) ? new URL(target) : null
  if (url !== null && isSame(url.pathname, visit.startPath)) {
    return show(200, startPage(visit.formAt(visit.state), visit.manifest))
  }
  if (url?.pathname !== ARRIVAL) return show(404, endPage(REFUSED.path))
  return arrive(visit, url.searchParams, { response, show })
}

type Answering = {
  readonly response: ServerResponse
  readonly show: (status: number, html: string) => void
}

function arrive(visit: Visit, query: URLSearchParams, { response, show }: Answering): void {
  if (!isSame(query.get('state') ?? '', visit.state)) {
    visit.onStranger('an answer with another state came, and was refused')
    return show(403, endPage(REFUSED.state))
  }
  const code = query.get('code') ?? ''
  if (!CODE.test(code)) return show(400, endPage(REFUSED.code))
  const answer = async (end: PageEnd): Promise<void> => {
    if (response.destroyed || response.writableEnded) return
    const left = once(response, 'close')
    show(200, endPage(end))
    await left
  }
  if (!visit.take({ code, answer })) return show(410, endPage(REFUSED.used))
}

const REFUSED = {
  host: { title: 'Another host', text: 'Open the address that signalbox printed, as it is.' },
  method: { title: 'Not this way', text: 'Open the address that signalbox printed.' },
  path: { title: 'Nothing here', text: 'Open the address that signalbox printed, as it is.' },
  state: {
    title: 'Not the answer to this setup',
    text: 'The state is another one: this page belongs to an earlier run, or somebody sent you here. Open the address that signalbox printed, and start there.',
  },
  code: {
    title: 'GitHub sent no code',
    text: 'The App was not created. Open the address that signalbox printed, and try again.',
  },
  used: { title: 'Already used', text: 'The code of this setup was taken. See the terminal for what came of it.' },
} as const satisfies Readonly<Record<string, PageEnd>>

/** Digests have one length, so that timing says nothing about the text. */
function isSame(given: string, right: string): boolean {
  return timingSafeEqual(digest(given), digest(right))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const gone = Promise.withResolvers<never>()
  const stop = (): void => gone.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, gone.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
