import { isJsonObject, parseJson } from './bundle-json.ts'

/** What `meta.json` says. Times are milliseconds since the epoch. */
export type BundleMeta = {
  /** "Now" for everything that is judged from the bundle. */
  readonly collectedAt: number
  readonly subject: BundleSubject
  readonly sources: ReadonlyMap<string, SourceAnswer>
}

export type BundleSubject = {
  readonly namespace?: string
  readonly pod?: string
  /** Distinguishes the pod from a later one of the same name. */
  readonly uid?: string
  readonly node?: string
  /** The runner container. */
  readonly container?: string
  readonly runner?: string
  readonly jobId?: number
  readonly runId?: number
}

export type SourceAnswer =
  | { readonly kind: 'looked'; readonly coverage: Coverage }
  | { readonly kind: 'blind'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly why: string }

/** The time that a source covers: outside it the source was not observing. Null means not stated. */
export type Coverage = { readonly from: number | null; readonly to: number | null; readonly remark: string | null }

export type MetaReading =
  | { readonly kind: 'read'; readonly meta: BundleMeta }
  | { readonly kind: 'unreadable'; readonly why: string }

const SCHEMA_VERSION = 1

export function parseMeta(text: string): MetaReading {
  const reading = parseJson(text)
  if (reading.kind === 'malformed') return unreadable(reading.why)
  const { value } = reading
  if (!isJsonObject(value)) return unreadable('it is not an object')
  if (value['schemaVersion'] !== SCHEMA_VERSION) return unreadable(`schemaVersion is not ${SCHEMA_VERSION}`)
  const collectedAt = parseTime(value['collectedAt'])
  if (collectedAt === null) return unreadable('collectedAt is not a time with a zone')
  const subject = parseSubject(value['subject'] ?? {})
  if (subject === null) return unreadable('subject has a field of the wrong type')
  const sources = value['sources'] ?? {}
  if (!isJsonObject(sources)) return unreadable('sources is not an object')
  const answers = Object.entries(sources).map(([name, answer]) => [name, parseAnswer(answer)] as const)
  return { kind: 'read', meta: { collectedAt, subject, sources: new Map(answers) } }
}

export function printMeta(meta: BundleMeta): string {
  const sources = [...meta.sources].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const document = {
    schemaVersion: SCHEMA_VERSION,
    collectedAt: printTime(meta.collectedAt),
    subject: meta.subject,
    sources: Object.fromEntries(sources.map(([name, answer]) => [name, printAnswer(answer)])),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function printAnswer(answer: SourceAnswer): object {
  switch (answer.kind) {
    case 'looked': {
      const { from, to, remark } = answer.coverage
      return {
        ok: true,
        ...(from === null ? {} : { from: printTime(from) }),
        ...(to === null ? {} : { to: printTime(to) }),
        ...(remark === null ? {} : { reason: remark }),
      }
    }
    case 'blind':
      return { ok: false, reason: answer.reason }
    case 'unreadable':
      return { ok: false, reason: answer.why }
  }
}

const SUBJECT_TEXTS = ['namespace', 'pod', 'uid', 'node', 'container', 'runner'] as const
const SUBJECT_IDS = ['jobId', 'runId'] as const

function parseSubject(value: unknown): BundleSubject | null {
  if (!isJsonObject(value)) return null
  const texts = SUBJECT_TEXTS.flatMap((field) => (value[field] === undefined ? [] : [[field, value[field]] as const]))
  const ids = SUBJECT_IDS.map((field) => [field, parseId(value[field])] as const)
  if (texts.some(([, text]) => typeof text !== 'string') || ids.some(([, id]) => id === 'wrong')) return null
  return { ...Object.fromEntries(texts), ...Object.fromEntries(ids.filter(([, id]) => id !== null)) }
}

/** Files written by hand sometimes quote the number. */
function parseId(value: unknown): number | null | 'wrong' {
  if (value === undefined || value === null) return null
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : 'wrong'
}

function parseAnswer(value: unknown): SourceAnswer {
  if (!isJsonObject(value) || typeof value['ok'] !== 'boolean') return wrongAnswer('ok is neither true nor false')
  const { ok, reason } = value
  if (reason !== undefined && typeof reason !== 'string') return wrongAnswer('reason is not text')
  if (!ok) return { kind: 'blind', reason: reason ?? 'no reason given' }
  const from = parseEnd(value['from'])
  const to = parseEnd(value['to'])
  // An unreadable window must not turn into "covers all time".
  if (from === 'wrong' || to === 'wrong') return wrongAnswer('from or to is not a time')
  return { kind: 'looked', coverage: { from, to, remark: reason ?? null } }
}

function parseEnd(value: unknown): number | null | 'wrong' {
  return value === undefined || value === null ? null : (parseTime(value) ?? 'wrong')
}

function wrongAnswer(why: string): SourceAnswer {
  return { kind: 'unreadable', why: `meta.json: ${why}` }
}

function unreadable(why: string): MetaReading {
  return { kind: 'unreadable', why }
}

/** Without a zone the time would depend on the local machine. */
function parseTime(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(value)) return null
  const at = Date.parse(value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(at) ? null : at
}

function printTime(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}
