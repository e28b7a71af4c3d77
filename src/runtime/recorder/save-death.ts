import { parseMeta, printMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta, BundleSubject } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { cleanEnd, mayBeClean } from '#/core/recorder/clean-end.ts'
import type { CleanEnd } from '#/core/recorder/clean-end.ts'
import { toDeath } from '#/core/recorder/death.ts'
import type { Death, DeathDocument } from '#/core/recorder/death.ts'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { DeathRecord, Verdict } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'
import { buildDocument, reportedJob, buildVerdict } from './death-document.ts'
import { addEvents, addRunnerLog, startDraft, pickRunnerContainer } from './draft.ts'
import type { Draft, InHand } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import { enrich } from './enrich.ts'
import type { Enrichment, EnrichPorts } from './enrich.ts'
import { toFiles, toParts } from './evidence-parts.ts'
import type { Outbox } from './outbox.ts'
import { podWithName } from './pod-with-name.ts'

export type RecordingMeans = {
  readonly ports: EnrichPorts
  readonly outbox: Pick<Outbox, 'put'>
  readonly inHand: (pod: EndedPod) => InHand
  /** As in `collect`: nothing is stored unredacted. */
  readonly redact: (file: BundleFile) => Promise<{ readonly path: string; readonly content: Uint8Array }>
  /** With the rules of `why`; null where the evidence names no subject. */
  readonly judge: (files: ReadonlyMap<string, Uint8Array>, signal: AbortSignal) => Promise<JudgedSubject | null>
  /** The version of the rules. */
  readonly rules: string
}

const NOTHING_FOUND: Enrichment = { subject: {}, job: null, recorded: null, repository: null, runner: null }
const ENRICH_MS = 60_000

/** A clean end is one row, and reads nothing but the log. Null: it is not a clean end, and needs all evidence. */
export async function recordIfClean(means: RecordingMeans, pod: EndedPod, signal: AbortSignal): Promise<Death | null> {
  if (pod.missed || !mayBeClean(pod.facts)) return null
  const draft = startDraft(pod, means.inHand(pod))
  const heard = isLogless(draft, pod) ? null : await judgeClean(means, draft, signal)
  if (heard !== null || pod.isGone) return heard === null ? null : writeClean(means, pod, heard)
  // The last lines may be in the log before the follower has them.
  await readOwnLog(means, draft, { pod, signal })
  const read = await judgeClean(means, draft, signal)
  return read === null ? null : writeClean(means, pod, read)
}

type JudgedClean = { readonly found: JudgedSubject; readonly clean: CleanEnd }

async function judgeClean(means: RecordingMeans, draft: Draft, signal: AbortSignal): Promise<JudgedClean | null> {
  const parts = await partsIn(means, draft, { subject: {}, revision: 1 })
  const found = await means.judge(toFiles(parts), signal)
  const clean = found === null ? null : cleanEnd(found, found.evidence)
  return found === null || clean === null ? null : { found, clean }
}

function writeClean(means: RecordingMeans, pod: EndedPod, { found, clean }: JudgedClean): Promise<Death> {
  const recorded = recordedJob(means.ports.lastRecord(pod.object))
  const document = buildDocument(found, reportedJob(null, recorded))
  const now = means.ports.clock.now()
  const verdict: Verdict = {
    cause: clean.cause,
    kind: 'not-a-death',
    confidence: clean.confidence,
    rules: means.rules,
    judgedAt: now,
    document: clean.sentence === null ? document : { ...document, sentence: clean.sentence, next: [] },
  }
  const known = { ...NOTHING_FOUND, recorded, repository: recorded?.repository ?? null }
  return write(means, toRecord(pod, known, { now, verdict }), [])
}

/** Whether the rules name what keeps a pod from starting, from what is in memory alone. */
export async function isKept(means: RecordingMeans, pod: EndedPod, signal: AbortSignal): Promise<boolean> {
  const parts = await partsIn(means, startDraft(pod, means.inHand(pod)), { subject: {}, revision: 0 })
  const found = await means.judge(toFiles(parts), signal)
  return found?.verdict.kind === 'never-started'
}

/** Stores what is in memory at once: the pod may be gone already, and this process may be killed next. */
export async function recordInHand(means: RecordingMeans, pod: EndedPod): Promise<void> {
  const draft = startDraft(pod, means.inHand(pod))
  const parts = await partsIn(means, draft, { subject: {}, revision: pickRevision(pod) })
  await write(means, toRecord(pod, NOTHING_FOUND, { now: means.ports.clock.now(), verdict: null }), parts)
}

/** Collects the rest of the evidence, and judges. Null: the result is no longer wanted. */
export async function complete(
  means: RecordingMeans,
  pod: EndedPod,
  signal: AbortSignal,
  { isWanted = () => true, revision = pickRevision(pod) + 1 }: Completing = {},
): Promise<Death | null> {
  const { found, parts } = await gather(means, pod, { signal, revision })
  const verdict = await judgeParts(means, parts, { reported: reportedJob(found.job, found.recorded), signal })
  return isWanted() ? write(means, toRecord(pod, found, { now: means.ports.clock.now(), verdict }), parts) : null
}

type Completing = { readonly isWanted?: () => boolean; readonly revision?: number }

async function gather(
  means: RecordingMeans,
  pod: EndedPod,
  { signal, revision }: { readonly signal: AbortSignal; readonly revision: number },
): Promise<{ readonly found: Enrichment; readonly parts: readonly EvidencePart[] }> {
  const draft = startDraft(pod, means.inHand(pod))
  const limited = AbortSignal.any([signal, AbortSignal.timeout(ENRICH_MS)])
  const found = await enrich(draft, pod, means.ports, limited)
  // More events arrive while the other sources are read.
  addEvents(draft, means.inHand(pod))
  return { found, parts: await partsIn(means, draft, { subject: found.subject, revision }) }
}

export type ReportedJob = Pick<DeathDocument, 'workflow' | 'job'>

export async function judgeParts(
  { judge, rules, ports }: Pick<RecordingMeans, 'judge' | 'rules' | 'ports'>,
  parts: readonly EvidencePart[],
  { reported, signal }: { readonly reported: ReportedJob; readonly signal: AbortSignal },
): Promise<Verdict | null> {
  const result = await judge(toFiles(parts), signal)
  return result === null
    ? null
    : buildVerdict(result, buildDocument(result, reported), { rules, now: ports.clock.now() })
}

/** A recorded death that is judged when its audit log is there. */
export type Unjudged = {
  readonly row: DeathRecord
  /** Null where another process recorded it. */
  readonly reported: ReportedJob | null
}

/** Collects and stores the rest of the evidence, without a verdict. */
export async function recordUnjudged(means: RecordingMeans, pod: EndedPod, signal: AbortSignal): Promise<Unjudged> {
  const { found, parts } = await gather(means, pod, { signal, revision: pickRevision(pod) + 1 })
  const row = toRecord(pod, found, { now: means.ports.clock.now(), verdict: null })
  await write(means, row, parts)
  return { row, reported: reportedJob(found.job, found.recorded) }
}

export type RefusedPod = {
  /** The owner's UID: there was no pod. */
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly pool: string | null
  readonly at: number
}

/** A runner whose pod the API server refused, with the event or record that shows it. */
export async function recordRefused(
  means: Pick<RecordingMeans, 'redact' | 'judge' | 'rules' | 'outbox' | 'ports'>,
  { pod, draft }: { readonly pod: RefusedPod; readonly draft: Draft },
  signal: AbortSignal,
): Promise<Death> {
  const parts = await partsIn(means, draft, { subject: {}, revision: 1 })
  const verdict = await judgeParts(means, parts, { reported: reportedJob(null, null), signal })
  const now = means.ports.clock.now()
  const { uid, namespace, pod: name, pool, at: diedAt } = pod
  const known = { uid, namespace, pod: name, pool, diedAt, recordedAt: now, verdict }
  return write(means, { ...known, ...UNMADE }, parts)
}

const UNMADE = { node: null, scope: null, job: null, repository: null, runner: null, missed: false } as const

/** Evidence of the end replaces evidence from the time in which the pod could not start. */
export function pickRevision({ isPending }: EndedPod): number {
  return isPending ? 1 : 3
}

function isLogless({ answers }: Draft, pod: EndedPod): boolean {
  const { namespace, name } = pod.facts
  return answers.sources().get(`logs/${namespace}/${name}/${pickRunnerContainer(pod)}`)?.kind !== 'looked'
}

async function readOwnLog(
  { ports }: RecordingMeans,
  draft: Draft,
  { pod, signal }: { readonly pod: EndedPod; readonly signal: AbortSignal },
): Promise<void> {
  const container = pickRunnerContainer(pod)
  if (container === null) return
  const { namespace, name } = pod.facts
  const tailLines = Math.ceil(ports.logBytes / 32)
  const request = { namespace, pod: name, container, tailLines, tailBytes: ports.logBytes }
  const heard = await ports.kubernetes.logTail(request, signal)
  if ((await podWithName(ports.kubernetes, pod, signal)) === 'other') return
  addRunnerLog(draft, pod, { container, heard })
}

export async function partsIn(
  { redact }: Pick<RecordingMeans, 'redact'>,
  draft: Draft,
  { subject, revision }: { readonly subject: Partial<BundleSubject>; readonly revision: number },
): Promise<readonly EvidencePart[]> {
  const files = new Map<string, Uint8Array>()
  for (const file of draft.files.values()) {
    const { path, content } = await redact(file)
    files.set(path, content)
  }
  return toParts(files, await redactedMeta(redact, draft.meta(subject)), revision)
}

/** The reason why a source is blind may quote another program, and so a secret. */
async function redactedMeta(redact: RecordingMeans['redact'], meta: BundleMeta): Promise<BundleMeta> {
  const { content } = await redact({ path: bundlePath.meta, content: printMeta(meta) })
  const reading = parseMeta(new TextDecoder().decode(content))
  if (reading.kind === 'unreadable') throw new Error(`meta.json is unreadable when redacted: ${reading.why}`)
  return reading.meta
}

function toRecord(
  { uid, facts, pool, missed, diedAt }: EndedPod,
  { job, repository, runner }: Enrichment,
  { now, verdict }: { readonly now: number; readonly verdict: Verdict | null },
): DeathRecord {
  const { namespace, name, node } = facts
  const known = { uid, namespace, pod: name, node, pool, repository, runner, missed, diedAt, verdict }
  return { ...known, scope: null, job: job?.id ?? null, recordedAt: now }
}

export async function write(
  { outbox }: Pick<RecordingMeans, 'outbox'>,
  postmortem: DeathRecord,
  evidence: readonly EvidencePart[],
): Promise<Death> {
  await outbox.put({ postmortem, evidence })
  return toDeath(postmortem)
}
