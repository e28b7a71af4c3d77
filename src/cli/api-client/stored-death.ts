import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { PresentPod } from '#/ports/store/live-pods.ts'
import { at, listAt } from '#/core/basics/fields.ts'
import { SUBJECT_FORM, parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import { isSameRun, runIn } from '#/core/evidence/subject-run.ts'
import type { Run } from '#/core/evidence/subject-run.ts'
import { askDocument, readPages, readDocument, answerBody } from './ask-server.ts'
import type { Question, Server } from './ask-server.ts'

export type Found =
  | {
      readonly kind: 'found'
      /** The latest. For a run: the latest that was not a clean end, if there is one. */
      readonly death: Death
      /** Other deaths of the same name or the same run. */
      readonly others: number
      /** A live pod that has the name of the one that died; null if none is known. */
      readonly live: PresentPod | null
    }
  | { readonly kind: 'none' | 'unaskable'; readonly failure: CommandFailure }

const UID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const MOST_EVIDENCE_BYTES = 1024 * 1024 * 1024
const NAMESAKES = '500'
/** Short, because the default address may belong to another program. */
const LOOKUP_MS = 10_000

/** Finds a recorded death by pod, runner, UID, job or run. `namespaces` null: any namespace. */
export async function findStored(server: Server, text: string, namespaces: readonly string[] | null): Promise<Found> {
  if (UID.test(text)) return findUid(server, text)
  const subject = parseSubjectArgument(text)
  switch (subject.kind) {
    case 'unreadable':
      return unaskable(`${text}: ${subject.why}`, `use ${SUBJECT_FORM}, or the UID of a pod`)
    case 'run':
      return findOfRun(server, subject)
    case 'job':
      return latest(server, { query: { job: String(subject.id) }, text, isMeant: () => true })
    case 'pod': {
      const own = subject.namespace === null ? namespaces : [subject.namespace]
      const isMeant = ({ namespace }: Death): boolean => own === null || own.includes(namespace)
      return latest(server, { query: { name: subject.name }, text, isMeant })
    }
  }
}

/** A repository may have tens of thousands of clean ends; a run that is asked about is usually recent. */
const MOST_PAGES = 100

/** The server compares repository names case-sensitively. */
export const CASE_COUNTS = 'repository names are case-sensitive: write it as GitHub does'

/** The store has no run id, only the job's URL and its repository. */
async function findOfRun(server: Server, run: Run & { readonly repository: string }): Promise<Found> {
  const question = { path: '/v1/deaths', query: { repository: run.repository }, timeoutMs: LOOKUP_MS }
  const own: Death[] = []
  let pages = 0
  for await (const page of readPages(server, question)) {
    const found = (listAt(page, 'deaths') as readonly Death[]).filter((death) => isOfRun(death, run))
    own.push(...found)
    pages += 1
    // The runners of a run end close together, and the list is sorted by time.
    if (pages >= MOST_PAGES || (own.length > 0 && found.length === 0)) break
  }
  const death = own.find(({ kind }) => kind !== 'not-a-death') ?? own[0]
  if (death === undefined) return unknown(`run ${run.id} of ${run.repository}`, CASE_COUNTS)
  return { kind: 'found', death, others: own.length - 1, live: null }
}

/** By the job's URL, which is the run's URL when only ARC's record named the job. */
export function isOfRun({ job }: Pick<Death, 'job'>, run: Run): boolean {
  const own = runIn(job?.url ?? '')
  return own !== null && isSameRun(own, run)
}

async function findUid(server: Server, uid: string): Promise<Found> {
  const reply = await server.ask({ path: `/v1/deaths/${uid}`, timeoutMs: LOOKUP_MS })
  if (reply.kind === 'refused' && reply.status === 404) return unknown(uid)
  const death = at(readDocument(answerBody(server, reply)), 'death')
  return death === undefined ? unknown(uid) : { kind: 'found', death: death as Death, others: 0, live: null }
}

async function latest(
  server: Server,
  {
    query,
    text,
    isMeant,
  }: {
    readonly query: NonNullable<Question['query']>
    readonly text: string
    readonly isMeant: (death: Death) => boolean
  },
): Promise<Found> {
  const question = { path: '/v1/deaths', query: { ...query, limit: NAMESAKES }, timeoutMs: LOOKUP_MS }
  const page = await askDocument(server, question)
  const deaths = (listAt(page, 'deaths') as readonly Death[]).filter(isMeant)
  const [death] = deaths
  if (death === undefined) return unknown(text)
  return { kind: 'found', death, others: deaths.length - 1, live: pickLive(page, death) }
}

/** A server before 0.2 does not say which pods are live. */
export function pickLive(page: unknown, { namespace, pod, uid }: Death): PresentPod | null {
  const live = listAt(page, 'live') as readonly PresentPod[]
  return live.find((one) => one.namespace === namespace && one.pod === pod && one.uid !== uid) ?? null
}

/** The bundle, or the reason why there is none. */
export async function fetchEvidence(server: Server, { uid }: Death): Promise<Buffer | string> {
  const reply = await server.ask({
    path: `/v1/deaths/${encodeURIComponent(uid)}/evidence`,
    maxBytes: MOST_EVIDENCE_BYTES,
  })
  return reply.kind === 'refused' && reply.status === 409 ? reply.why : answerBody(server, reply)
}

function unknown(text: string, ...more: readonly string[]): Found {
  const advice = [...more, 'see: signalbox deaths --kind all --since 30d']
  return { kind: 'none', failure: new CommandFailure(EXIT.blind, `no death of ${text} is recorded`, advice) }
}

function unaskable(why: string, advice: string): Found {
  return { kind: 'unaskable', failure: new CommandFailure(EXIT.usage, why, [advice]) }
}
