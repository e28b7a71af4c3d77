import { at, listAt, numberAt, textAt } from '#/core/basics/fields.ts'

/** A death as people and programs see it. Everything else is in the evidence. */
export type Death = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly node: string | null
  readonly pool: string | null
  readonly runner: string | null
  readonly repository: string | null
  readonly workflow: string | null
  /** Only GitHub knows the id; the rest may come from ARC's record, and then the URL is that of the run. */
  readonly job: { readonly id: number | null; readonly name: string | null; readonly url: string | null } | null
  readonly diedAt: number
  readonly recordedAt: number
  readonly cause: string
  readonly kind: string
  readonly confidence: number
  readonly actor: string | null
  readonly sentence: string
  readonly next: readonly string[]
  readonly exitCode: number | null
  readonly signal: number | null
  readonly reason: string | null
  readonly message: string | null
  readonly blind: readonly { readonly source: string; readonly reason: string }[]
  /** Nothing was watching when it went. */
  readonly missed: boolean
}

/** The columns of a death in the store. */
export type DeathRow = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly node: string | null
  readonly pool: string | null
  readonly runner: string | null
  readonly repository: string | null
  readonly job: number | null
  readonly diedAt: number
  readonly recordedAt: number
  readonly missed: boolean
  readonly verdict: {
    readonly cause: string
    readonly kind: string
    readonly confidence: number
    readonly document: unknown
  } | null
}

/** In place of the verdict's sentence until there is one. */
const UNJUDGED = 'It is recorded and not judged yet'

/** There is a row before there is a verdict, while the other sources are still being read. */
export function isJudged({ kind, sentence }: Pick<Death, 'kind' | 'sentence'>): boolean {
  return kind !== 'unknown' || !sentence.startsWith(UNJUDGED)
}

/** What the recorder of this process waits for before it can judge a death. */
export type AwaitedForDeath = { readonly what: string; readonly since: number }

function describeUnjudged(recordedAt: number, awaited: AwaitedForDeath | null): string {
  const since = (at: number): string => new Date(at).toISOString()
  if (awaited === null) return `${UNJUDGED}; recorded ${since(recordedAt)}.`
  return `${UNJUDGED}: waiting for ${awaited.what}, since ${since(awaited.since)}.`
}

export function toDeath(row: DeathRow, awaited: AwaitedForDeath | null = null): Death {
  const document = row.verdict?.document
  const { uid, namespace, pod, node, pool, runner, repository, diedAt, recordedAt, missed } = row
  const columns = { uid, namespace, pod, node, pool, runner, repository, diedAt, recordedAt, missed }
  return {
    ...columns,
    workflow: textAt(document, 'workflow'),
    job: jobIn(row.job, at(document, 'job')),
    cause: row.verdict?.cause ?? 'unknown',
    kind: row.verdict?.kind ?? 'unknown',
    confidence: row.verdict?.confidence ?? 0,
    actor: textAt(document, 'actor'),
    sentence: textAt(document, 'sentence') ?? describeUnjudged(recordedAt, awaited),
    next: textsAt(document, 'next'),
    exitCode: numberAt(document, 'exitCode'),
    signal: numberAt(document, 'signal'),
    reason: textAt(document, 'reason'),
    message: textAt(document, 'message'),
    blind: listAt(document, 'blind').map((one) => ({
      source: textAt(one, 'source') ?? '',
      reason: textAt(one, 'reason') ?? '',
    })),
  }
}

function jobIn(id: number | null, document: unknown): Death['job'] {
  const [name, url] = [textAt(document, 'name'), textAt(document, 'url')]
  return id === null && name === null && url === null ? null : { id, name, url }
}

function textsAt(document: unknown, key: string): readonly string[] {
  return listAt(document, key).filter((text) => typeof text === 'string')
}

/** The fields of a death that have no column, in the verdict's document. */
export type DeathDocument = Pick<
  Death,
  'workflow' | 'actor' | 'sentence' | 'next' | 'exitCode' | 'signal' | 'reason' | 'message' | 'blind'
> & { readonly job: { readonly name: string | null; readonly url: string | null } | null }
