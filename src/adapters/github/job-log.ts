import { codeOfStatus } from '#/adapters/http/code-of-status.ts'
import { startDeadline } from '#/adapters/http/deadline.ts'
import { describeFailure } from '#/adapters/http/describe-failure.ts'
import type { HttpStream } from '#/adapters/http/exchange.ts'
import { openStream } from '#/adapters/http/exchange.ts'
import type { Blind, None, Observed } from '#/core/basics/observed.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { LogRead, LogReading } from '#/ports/github.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { asBlind, believeAbsence } from './observe.ts'
import { get, inRepository, repositoryItself } from './places.ts'
import { redirectTarget } from '#/adapters/github/http/redirect-target.ts'
import { readHeader } from '#/adapters/github/http/reply-meaning.ts'

const MOST_REDIRECTS = 3
const LONGEST_READ_MS = 10 * 60_000
const NEVER = new AbortController().signal

/** GitHub keeps logs in a store of files and gives us a link that is good for a minute; our token stays here. */
export async function readJobLog(
  client: Client,
  repository: string,
  job: number,
  reading: LogReading,
): Promise<Observed<LogRead>> {
  const { signal } = reading
  const at = await client.locate(get(inRepository(repository, ['actions', 'jobs', job, 'logs'], signal)))
  if (at.kind === 'absent') return believeAbsence(client, repositoryItself(repository, signal), at.detail)
  if (at.kind !== 'redirected') return asBlind(at)
  using deadline = startDeadline(client.http.clock, LONGEST_READ_MS, signal ?? NEVER)
  const stream = await openFile(client, at.to, deadline.signal)
  if (stream.kind !== 'open') return stream
  const what = `the log of job ${job}`
  try {
    return await pour(stream, reading, what)
  } finally {
    stream.close()
  }
}

/** `none`: GitHub gave us a good link and the store has no file behind it, as for a job that never ran. */
async function openFile(client: Client, from: URL, signal: AbortSignal): Promise<HttpStream | Blind | None> {
  let url = from
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const request = { method: 'GET', url, headers: { accept: '*/*' } } as const
    const stream = await openStream(client.http, request, { timeoutMs: client.timeoutMs }, signal)
    if (stream.kind === 'blind') return { kind: 'blind', reason: stream.reason }
    const isPage = /html/iu.test(readHeader(stream.headers, 'content-type') ?? '')
    if (stream.status === 200 && !isPage) return stream
    stream.close()
    if (isPage) return blind('malformed', `the log is an HTML page of ${url.host}: is there a sign-in in the way?`)
    if (stream.status === 404) return none()
    if (stream.status < 300 || stream.status >= 400) {
      return blind(codeOfStatus(stream.status), `the store of logs at ${url.host} answered ${stream.status}`)
    }
    const to = redirectTarget(readHeader(stream.headers, 'location') ?? '', url)
    if (to === null) return blind('malformed', `the store of logs at ${url.host} redirects to nowhere`)
    url = to
  }
  return blind('malformed', `the log is redirected more than ${MOST_REDIRECTS} times`)
}

/** What the reader throws is the reader's; what the connection does is blind. */
async function pour(
  stream: HttpStream,
  { take, maxBytes, signal }: LogReading,
  what: string,
): Promise<Observed<LogRead>> {
  const pieces = stream.body[Symbol.asyncIterator]()
  let bytes = 0
  for (;;) {
    const piece = await nextPiece(pieces, what)
    if ('kind' in piece) {
      if (signal?.aborted === true) return blind('stopped', `${what}: given up because we are stopping`)
      return blind(piece.reason.code, `${piece.reason.detail}, after ${bytes} bytes`)
    }
    if (piece.done === true) return bytes === 0 ? none() : seen({ bytes, complete: true })
    const room = maxBytes - bytes
    const kept = piece.value.subarray(0, room)
    bytes += kept.byteLength
    if (kept.byteLength > 0) await take(kept)
    if (piece.value.byteLength > room) return seen({ bytes, complete: false })
  }
}

async function nextPiece(
  pieces: AsyncIterator<Uint8Array, unknown>,
  what: string,
): Promise<IteratorResult<Uint8Array, unknown> | Blind> {
  try {
    return await pieces.next()
  } catch (error) {
    const { code, detail } = describeFailure(error, what).reason
    return blind(code === 'unreachable' ? 'truncated' : code, detail)
  }
}
