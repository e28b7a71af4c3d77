import type { Blind } from '#/core/basics/observed.ts'
import { mayBeClean } from '#/core/recorder/clean-end.ts'
import type { CleanEnd } from '#/core/recorder/clean-end.ts'
import { toDeath } from '#/core/recorder/death.ts'
import type { Death, DeathDocument } from '#/core/recorder/death.ts'
import type { JudgedDeath } from '#/core/recorder/judged-death.ts'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { DeathRecord, Verdict } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { mustAwaitAgent } from './ask-agent.ts'
import { buildDocument, reportedJob, buildVerdict } from './death-document.ts'
import { addEvents, addHeardLog, addRunnerLog, markInHand, pickRunnerContainer, startDraft } from './draft.ts'
import type { Draft, InHand } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import { enrich } from './enrich.ts'
import type { Enrichment } from './enrich.ts'
import type { EnrichPorts } from './enrich-ports.ts'
import { collect, filesOf } from './collect-evidence.ts'
import type { RedactedFile } from './collect-evidence.ts'
import type { Collected, HeldEvidence } from './held-evidence.ts'
import type { Outbox } from '#/runtime/outbox/outbox.ts'
import { podWithName } from './pod-with-name.ts'
import { saveFromNode, saveServedLogs } from './save-from-node.ts'

export type RecordingMeans = {
  readonly ports: EnrichPorts
  readonly outbox: Pick<Outbox, 'put' | 'find'>
  readonly held: HeldEvidence
  /** What is stored of an open death, or waits to be; null where there is none. Throws where that cannot be read now. */
  readonly stored: (uid: string) => Promise<Collected | null>
  readonly inHand: (pod: EndedPod) => InHand
  /** As in `collect`: nothing is stored unredacted. The key is whose evidence it is: one node must not delay the others. */
  readonly redact: (file: BundleFile, key: string) => Promise<RedactedFile | Blind>
  /** With the rules of `why`; null where the evidence names no subject. */
  readonly judge: (files: ReadonlyMap<string, Uint8Array>, signal: AbortSignal) => Promise<JudgedDeath | null>
  /** The version of the rules. */
  readonly rules: string
}

const NOTHING_FOUND: Enrichment = { subject: {}, job: null, recorded: null, repository: null, runner: null }

/** A clean end is stored as a row; what was collected is needed only if it turns out to be none. */
export type RecordedClean = Collecting & { readonly row: DeathRecord; readonly job: RecordedJob | null }

type Collecting = Awaited<ReturnType<typeof collect>>

/** A clean end is one row, and reads nothing but the log. Null: it is not a clean end, and needs all evidence. */
export async function recordIfClean(
  means: RecordingMeans,
  pod: EndedPod,
  signal: AbortSignal,
): Promise<RecordedClean | null> {
  if (pod.missed || !mayBeClean(pod.facts)) return null
  const draft = startDraft(pod, means.inHand(pod))
  const heard = isLogless(draft, pod) ? null : await judgeClean(means, draft, signal)
  if (heard !== null || pod.isGone) return heard === null ? null : writeClean(means, pod, heard)
  // The last lines may be in the log before the follower has them.
  await readOwnLog(means, draft, { pod, signal })
  const read = await judgeClean(means, draft, signal)
  return read === null ? null : writeClean(means, pod, read)
}

type JudgedClean = Collecting & { readonly found: JudgedDeath; readonly clean: CleanEnd }

async function judgeClean(means: RecordingMeans, draft: Draft, signal: AbortSignal): Promise<JudgedClean | null> {
  const collecting = await collect(means, draft, { subject: {}, revision: 1 })
  const found = await means.judge(filesOf(collecting.collected), signal)
  return found === null || found.clean === null ? null : { found, clean: found.clean, ...collecting }
}

async function writeClean(
  means: RecordingMeans,
  pod: EndedPod,
  { found, clean, parts, collected }: JudgedClean,
): Promise<RecordedClean> {
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
  const row = toRecord(pod, known, { now, verdict })
  await write(means, row, [])
  return { row, parts, collected, job: recorded }
}

/** It was no clean end: what was collected of it is stored, and held for the next step. */
export async function reopenClean(
  means: RecordingMeans,
  { row, parts, collected }: Pick<RecordedClean, 'row' | 'parts' | 'collected'>,
): Promise<void> {
  await write(means, { ...row, verdict: null }, parts)
  const meta = { ...collected.meta, collectedAt: means.ports.clock.now() }
  means.held.put(row.uid, { ...collected, meta })
}

/** Whether the rules name what keeps a pod from starting, from what is in memory alone. */
export async function isKept(means: RecordingMeans, pod: EndedPod, signal: AbortSignal): Promise<boolean> {
  const { collected } = await collect(means, startDraft(pod, means.inHand(pod)), { subject: {}, revision: 0 })
  const found = await means.judge(filesOf(collected), signal)
  return found?.verdict.kind === 'never-started'
}

/** Stores what is in memory at once: the pod may be gone already, and this process may be killed next. */
export async function recordInHand(means: RecordingMeans, pod: EndedPod): Promise<void> {
  const inHand = means.inHand(pod)
  const written = await collect(means, startDraft(pod, inHand), { subject: {}, revision: pickRevision(means, pod, 1) })
  await write(means, toRecord(pod, NOTHING_FOUND, { now: means.ports.clock.now(), verdict: null }), written.parts)
  if (!pod.isPending) means.held.put(pod.uid, { ...written.collected, inHand: markInHand(inHand) })
}

/** Collects everything about a pod that cannot start, and judges it. Null: the result is no longer wanted. */
export async function complete(
  means: RecordingMeans,
  pod: EndedPod,
  { signal, isWanted }: { readonly signal: AbortSignal; readonly isWanted: () => boolean },
): Promise<Death | null> {
  const draft = startDraft(pod, means.inHand(pod))
  await saveFromNode(draft, pod, means.ports, signal)
  const found = await enrich(draft, pod, means.ports, signal)
  const revision = pickRevision(means, pod, 2)
  const { parts, collected } = await collect(means, draft, { subject: found.subject, revision })
  const reported = reportedJob(found.job, found.recorded)
  const verdict = await judgeCollected(means, collected, { reported, signal })
  return isWanted() ? write(means, toRecord(pod, found, { now: means.ports.clock.now(), verdict }), parts) : null
}

/** Stores what its node would soon lose. */
export async function saveNodeEvidence(means: RecordingMeans, pod: EndedPod, signal: AbortSignal): Promise<void> {
  const { ports } = means
  if (!pod.isGone && mustAwaitAgent(ports, pod)) {
    await saveRead(means, pod, (draft) => saveServedLogs(draft, pod, { ports, signal }))
  }
  await saveRead(means, pod, (draft) => saveFromNode(draft, pod, ports, signal))
}

async function saveRead(means: RecordingMeans, pod: EndedPod, read: (draft: Draft) => Promise<void>): Promise<void> {
  // All that was stored before came from memory, where it still is: a store that is away must not cost the logs.
  const stored = (uid: string): Promise<Collected | null> => means.stored(uid).catch(() => null)
  const { draft, inHand } = await openDraft({ ...means, stored }, pod)
  await read(draft)
  if (draft.files.size === 0) return keepBlind(means, pod, draft)
  const written = await collect(means, draft, { subject: {}, revision: pickRevision(means, pod, 1) })
  await write(means, toRecord(pod, NOTHING_FOUND, { now: means.ports.clock.now(), verdict: null }), written.parts)
  means.held.put(pod.uid, { ...written.collected, inHand: markInHand(inHand) })
}

/** Nothing new to store: the reasons are stored with what is gathered next. */
function keepBlind(means: RecordingMeans, { uid }: EndedPod, draft: Draft): void {
  if (draft.before !== null) means.held.put(uid, { ...draft.before, meta: draft.meta() })
}

/** Everything is collected: the row without a verdict, and what is not stored yet. */
export type Gathered = {
  readonly row: DeathRecord
  readonly reported: ReportedJob
  readonly parts: readonly EvidencePart[]
  readonly collected: Collected
}

/** Reads the slower sources. */
export async function gather(
  means: RecordingMeans,
  { pod, known }: { readonly pod: EndedPod; readonly known: DeathRecord | null },
  signal: AbortSignal,
): Promise<Gathered> {
  const { draft } = await openDraft(means, pod)
  const found = await enrich(draft, pod, means.ports, signal)
  // More events and lines arrive while the other sources are read.
  const inHand = means.inHand(pod)
  addEvents(draft, inHand)
  addHeardLog(draft, pod, inHand)
  const written = await collect(means, draft, { subject: found.subject, revision: pickRevision(means, pod, 2) })
  const row = toRecord(pod, found, { now: means.ports.clock.now(), verdict: null })
  return {
    row: known === null ? row : withKnown(row, known),
    reported: reportedJob(found.job, found.recorded),
    parts: written.parts,
    collected: { ...written.collected, inHand: markInHand(inHand) },
  }
}

/** Stores what was gathered without a verdict, so that neither a restart nor a failed judgement loses it. */
export async function storeGathered(means: RecordingMeans, { row, parts, collected }: Gathered): Promise<void> {
  await write(means, row, parts)
  means.held.put(row.uid, collected)
}

export async function judgeGathered(
  means: RecordingMeans,
  { row, reported, parts, collected }: Gathered,
  signal: AbortSignal,
): Promise<Death> {
  const verdict = await judgeCollected(means, collected, { reported, signal })
  if (verdict === null) throw new Error('the collected evidence names no subject')
  return write(means, { ...row, verdict }, parts)
}

/** From what is in memory, and what was collected before. */
export async function openDraft(
  means: RecordingMeans,
  pod: EndedPod,
): Promise<{ readonly draft: Draft; readonly inHand: InHand }> {
  const before = means.held.get(pod.uid) ?? (await means.stored(pod.uid))
  const inHand = means.inHand(pod)
  return { draft: startDraft(pod, inHand, before), inHand }
}

export type ReportedJob = Pick<DeathDocument, 'workflow' | 'job'>

export async function judgeCollected(
  { judge, rules, ports }: Pick<RecordingMeans, 'judge' | 'rules' | 'ports'>,
  collected: Collected,
  { reported, signal }: { readonly reported: ReportedJob; readonly signal: AbortSignal },
): Promise<Verdict | null> {
  const result = await judge(filesOf(collected), signal)
  return result === null
    ? null
    : buildVerdict(result, buildDocument(result, reported), { rules, now: ports.clock.now() })
}

/** Evidence of the end replaces evidence from the time in which the pod could not start. */
export function pickRevision({ held }: RecordingMeans, { uid, isPending }: EndedPod, pending: number): number {
  return isPending ? pending : held.nextRevision(uid)
}

/** What another process found and can no longer be read. */
function withKnown(row: DeathRecord, known: DeathRecord): DeathRecord {
  const { job, repository, runner, recordedAt, missed } = known
  return {
    ...row,
    recordedAt,
    missed: row.missed && missed,
    job: row.job ?? job,
    repository: row.repository ?? repository,
    runner: row.runner ?? runner,
  }
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
  { outbox }: { readonly outbox: Pick<Outbox, 'put'> },
  postmortem: DeathRecord,
  evidence: readonly EvidencePart[],
): Promise<Death> {
  await outbox.put({ postmortem, evidence })
  return toDeath(postmortem)
}
