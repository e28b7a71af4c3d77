import { answerBody, askDocument, readDocument } from '#/cli/api-client/ask-server.ts'
import type { Question, Server } from '#/cli/api-client/ask-server.ts'
import { listAt, textAt, at } from '#/core/basics/fields.ts'
import type { AttemptEnd, AttemptStep, EndedAttempt, NewAttempt } from '#/core/ledger/attempt.ts'
import { boundName } from '#/core/ledger/bounds.ts'
import { subjectKey } from '#/core/ledger/ledger-row.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { readLedgerDocument } from '#/core/ledger/read-ledger-document.ts'
import type { Clock } from '#/ports/clock.ts'
import type { AttemptHandle, Begun, Fenced, Ledger, LedgerFilter, Moved, Recorded } from '#/ports/store/ledger.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'

export type RemoteMeans = {
  readonly server: Server
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
  /** As the server names us. */
  readonly actor: string
}

/** Only the leader has an epoch, and it is inside the server. */
const UNKNOWN_EPOCH: Fenced = { kind: 'fenced', epoch: null }

/**
 * The ledger of `signalbox serve`. An answer that does not come may be that of a write that happened: the write is sent again,
 * and what is found to be our own counts as the answer.
 */
export function remoteLedger(means: RemoteMeans): Ledger {
  const move = async (handle: AttemptHandle, written: AttemptStep | AttemptEnd): Promise<Moved> =>
    written.epoch === null ? await moveForward(means, handle, written) : UNKNOWN_EPOCH
  return {
    begin: async (attempt) => (attempt.epoch === null ? await begin(means, attempt) : UNKNOWN_EPOCH),
    advance: move,
    end: move,
    record: async (attempt) => (attempt.epoch === null ? await record(means, attempt) : UNKNOWN_EPOCH),
    list: async (filter) => await list(means, filter),
  }
}

async function begin(means: RemoteMeans, attempt: NewAttempt): Promise<Begun> {
  const { kind, row, wasLost } = await send(means, '/v1/ledger/attempts', attempt)
  if (row === null) throw malformed(means)
  const isOwn = row.run === boundName(attempt.run) && row.outcome === 'planned' && row.steps.length === 1
  if (kind === 'taken') return { kind: wasLost && isOwn ? 'planned' : 'taken', row }
  return { kind: kind === 'planned' ? 'planned' : 'refused', row }
}

async function moveForward(
  means: RemoteMeans,
  { id, steps }: AttemptHandle,
  written: AttemptStep | AttemptEnd,
): Promise<Moved> {
  const path = `/v1/ledger/attempts/${id}/${'step' in written ? 'steps' : 'end'}`
  const { kind, row, wasLost } = await send(means, path, { ...written, after: steps.length })
  if (kind === 'moved' && row !== null) return { kind: 'moved', row }
  const isOwn = row !== null && row.steps.length === steps.length + 1 && isStep(row.steps.at(-1), means, written)
  return wasLost && isOwn ? { kind: 'moved', row } : { kind: 'stale', row }
}

function isStep(
  last: LedgerRow['steps'][number] | undefined,
  { actor }: RemoteMeans,
  written: AttemptStep | AttemptEnd,
) {
  const step = 'step' in written ? boundName(written.step) : written.outcome
  return last?.step === step && last.at === written.at && last.actor === boundName(actor)
}

async function record(means: RemoteMeans, attempt: EndedAttempt): Promise<Recorded> {
  const { row } = await send(means, '/v1/ledger/records', attempt, async () => await findRecorded(means, attempt))
  if (row === null) throw malformed(means)
  return { kind: 'recorded', row }
}

async function findRecorded(means: RemoteMeans, attempt: EndedAttempt): Promise<LedgerRow | null> {
  const { act, outcome, subject, at: began, run } = attempt
  const rows = await list(means, {
    act,
    outcome,
    name: subject.name,
    since: began,
    until: began + 1,
    limit: MOST_ALIKE,
  })
  const key = subjectKey(subject)
  return rows.find((row) => row.run === boundName(run) && subjectKey(row.subject) === key) ?? null
}

const MOST_ALIKE = 100

const MOST_ROWS = 1000

async function list({ server }: RemoteMeans, { limit, after, ...asked }: LedgerFilter): Promise<readonly LedgerRow[]> {
  const filter = Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, toText(value)]))
  const rows: LedgerRow[] = []
  for (let from = after === undefined ? null : `${after.at}_${after.id}`; ;) {
    const page = { limit: String(Math.min(limit, MOST_ROWS)), ...(from === null ? {} : { after: from }) }
    const document = await askDocument(server, { path: '/v1/ledger', query: { ...filter, ...page } })
    rows.push(...listAt(document, 'ledger').flatMap((row) => readLedgerDocument(row) ?? []))
    from = textAt(document, 'next')
    if (from === null || rows.length >= limit) return rows.slice(0, limit)
  }
}

function toText(value: string | number): string {
  return boundName(String(value))
}

type Written = { readonly kind: string | null; readonly row: LedgerRow | null; readonly wasLost: boolean }

/** Before the next try. */
const PAUSES_MS = [500, 1000, 2000, 4000, 8000]
/** Too many at once, deaths come first, or the database is away: what it could not do may be done, so it is asked again. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

async function send(
  means: RemoteMeans,
  path: string,
  body: object,
  find: () => Promise<LedgerRow | null> = async () => null,
): Promise<Written> {
  const { server, clock, signal } = means
  const question: Question = { path, method: 'POST', body, timeoutMs: TIMEOUT_MS }
  let reply = await server.ask(question)
  let wasLost = false
  for (const pauseMs of PAUSES_MS) {
    if (reply.kind === 'answered' || (reply.kind === 'refused' && !PASSING.has(reply.status))) break
    wasLost = true
    await clock.sleep(pauseMs, signal)
    signal.throwIfAborted()
    const found = await find().catch(() => null)
    if (found !== null) return { kind: 'recorded', row: found, wasLost }
    reply = await server.ask(question)
  }
  if (reply.kind === 'silent' || (reply.kind === 'refused' && PASSING.has(reply.status))) {
    throw new StoreUnavailable(`the ledger at ${server.url} does not answer: ${reply.why}`)
  }
  const document = readDocument(answerBody(server, reply))
  if (document === null) throw malformed(means)
  return { kind: textAt(document, 'kind'), row: readLedgerDocument(at(document, 'row')), wasLost }
}

const TIMEOUT_MS = 30_000

function malformed({ server }: RemoteMeans): StoreUnavailable {
  return new StoreUnavailable(`the ledger at ${server.url} gave an answer that is none`)
}
