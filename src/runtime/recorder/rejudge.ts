import { textAt } from '#/core/basics/fields.ts'
import type { DeathRecord, DeathFilter, Deaths, Verdict } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { isStillOpen } from '#/core/recorder/lifecycle.ts'
import { buildDocument, buildVerdict } from './death-document.ts'
import { expiredParts, toFiles } from './evidence-parts.ts'
import type { RecordingMeans } from './save-death.ts'

type Judging = Pick<RecordingMeans, 'judge' | 'rules'>

/** The verdict of the current rules on the stored evidence; null where there is no evidence to judge. */
export async function judgeStored(
  judging: Judging,
  deaths: Pick<Deaths, 'get'>,
  { uid, now, signal }: { readonly uid: string; readonly now: number; readonly signal: AbortSignal },
): Promise<Verdict | null> {
  const stored = await deaths.get(uid)
  signal.throwIfAborted()
  return stored === null ? null : judgeParts(judging, stored, { now, signal })
}

async function judgeParts(
  { judge, rules }: Judging,
  { death, evidence }: { readonly death: DeathRecord; readonly evidence: readonly EvidencePart[] },
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<Verdict | null> {
  const files = toFiles(evidence)
  // The rules would take expired evidence for evidence that never existed.
  if (files.size === 0 || expiredParts(evidence).size > 0) return null
  const found = await judge(files, signal)
  if (found === null) return null
  const former = death.verdict?.document
  const name = textAt(former, 'job', 'name')
  const url = textAt(former, 'job', 'url')
  const job = name === null && url === null ? null : { name, url }
  return buildVerdict(found, buildDocument(found, { workflow: textAt(former, 'workflow'), job }), { rules, now })
}

export type Rejudged = {
  readonly uid: string
  readonly pod: string
  readonly diedAt: number
  readonly before: { readonly cause: string; readonly confidence: number } | null
  readonly after: { readonly cause: string; readonly confidence: number }
}

export type RejudgePage = {
  readonly judged: number
  /** Clean ends have no evidence, and old evidence expires. */
  readonly withoutEvidence: number
  readonly changed: readonly Rejudged[]
  /** The start of the next page; null after the last. */
  readonly next: NonNullable<DeathFilter['after']> | null
}

export type RejudgeOrder = {
  readonly filter: DeathFilter
  readonly apply: boolean
  readonly now: number
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** What the current rules would change in one page of stored verdicts; `apply` stores the changes. Throws on the signal. */
export async function rejudgePage(
  judging: Judging,
  deaths: Deaths,
  { filter, apply, now, signal }: RejudgeOrder,
): Promise<RejudgePage> {
  const rows = await deaths.list(filter)
  const changed: Rejudged[] = []
  let judged = 0
  for (const row of rows) {
    // Its evidence is still coming in: judged now, it would get the verdict of a part of it.
    if (isStillOpen(row, now)) continue
    const verdict = await judgeStored(judging, deaths, { uid: row.uid, now, signal })
    signal.throwIfAborted()
    if (verdict === null) continue
    judged += 1
    if (verdict.cause === row.verdict?.cause) continue
    changed.push(toRejudged(row, verdict))
    if (apply) await deaths.rejudge(row.uid, verdict)
  }
  const last = rows.at(-1)
  const next = last === undefined || rows.length < filter.limit ? null : { diedAt: last.diedAt, uid: last.uid }
  return { judged, withoutEvidence: rows.length - judged, changed, next }
}

function toRejudged({ uid, namespace, pod, diedAt, verdict }: DeathRecord, after: Verdict): Rejudged {
  const before = verdict === null ? null : { cause: verdict.cause, confidence: verdict.confidence }
  const { cause, confidence } = after
  return { uid, pod: `${namespace}/${pod}`, diedAt, before, after: { cause, confidence } }
}
