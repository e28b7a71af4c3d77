import { open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { writeBundle } from '#/adapters/bundle/write-bundle.ts'
import { syncFolder } from '#/adapters/files/sync-folder.ts'
import { redactToBytes } from '#/app/judging.ts'
import { readDocument } from '#/cli/api-client/ask-server.ts'
import type { Server } from '#/cli/api-client/ask-server.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import { printMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { StoreEvidence, StorePodEvidence } from '#/ports/act-candidate.ts'
import { gatherCandidate, gatherPod } from '#/runtime/collect/candidate/gather-candidate.ts'
import type { CandidateFiles, GatherMeans } from '#/runtime/collect/candidate/gather-candidate.ts'

export type EvidenceMeans = Pick<GatherMeans, 'clock'> & {
  /** Null: there is no cluster to read from. */
  readonly kubernetes: GatherMeans['kubernetes'] | null
}

/** What the acts keep before they remove: a candidate of the interlock, or a single pod. */
export type EvidenceStore = { readonly storeEvidence: StoreEvidence; readonly storePod: StorePodEvidence }

type Attempt = { readonly id: number }
type Gather = (means: GatherMeans, signal: AbortSignal) => Promise<CandidateFiles | Blind>
type Keep = (attempt: Attempt, gather: Gather, signal: AbortSignal) => ReturnType<StoreEvidence>

function storeBy(keep: Keep): EvidenceStore {
  return {
    storeEvidence: (given, signal) => keep(given, (means) => gatherCandidate(means, given, signal), signal),
    storePod: (given, signal) => keep(given, (means) => gatherPod(means, given.pod, signal), signal),
  }
}

async function gatherBy(gather: Gather, { kubernetes, clock }: EvidenceMeans, signal: AbortSignal) {
  return kubernetes === null
    ? blind('not-asked', 'no kubeconfig, and not inside a cluster')
    : await gather({ kubernetes, clock }, signal)
}

/** One bundle per attempt in the folder. Its name is the id. */
export function storeInFolder(folder: string, means: EvidenceMeans): EvidenceStore {
  return storeBy(async (attempt, gather, signal) => {
    const id = `attempt-${attempt.id}.tar.gz`
    const path = join(folder, id)
    // It appears when it is complete, but a crash may have come before it was durable.
    if (await exists(path)) return await durable(path, id)
    const gathered = await gatherBy(gather, means, signal)
    if (gathered.kind === 'blind') return gathered
    const files = [...gathered.files].map(([name, content]) => ({ path: name, content }))
    const writing = await writeBundle(path, { files, meta: () => gathered.meta }, BUNDLE_LIMITS, signal)
    if (writing.kind === 'written') return await durable(path, id)
    return writing.kind === 'stopped' ? blind('stopped', 'it was stopped') : blind('server-error', writing.why)
  })
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}

async function durable(path: string, id: string): Promise<{ readonly kind: 'stored'; readonly id: string } | Blind> {
  try {
    await using file = await open(path, 'r')
    await file.sync()
    await syncFolder(dirname(path))
    return { kind: 'stored', id }
  } catch (error) {
    return blind('server-error', `the evidence cannot be kept: ${String(error)}`)
  }
}

const TIMEOUT_MS = 60_000

/** With the server, which redacts it once more. The id is for `signalbox why`. */
export function storeAtServer(server: Pick<Server, 'ask' | 'url'>, means: EvidenceMeans): EvidenceStore {
  return storeBy(async (attempt, gather, signal) => {
    const gathered = await gatherBy(gather, means, signal)
    if (gathered.kind === 'blind') return gathered
    const body = await toBody(gathered)
    const reply = await server.ask({ path: `/v1/evidence/${attempt.id}`, method: 'POST', body, timeoutMs: TIMEOUT_MS })
    if (reply.kind === 'silent') return blind('unreachable', `${server.url}: ${reply.why}`)
    if (reply.kind === 'refused') return blind(refusalCode(reply.status), `${server.url}: ${reply.why}`)
    const id = textAt(readDocument(reply.body), 'evidence')
    return id === null ? blind('malformed', `${server.url}: it is not signalbox serve`) : { kind: 'stored', id }
  })
}

function refusalCode(status: number) {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  return status === 413 ? 'too-large' : 'server-error'
}

async function toBody({ files, meta }: CandidateFiles) {
  const redact = async (path: string, content: string) => {
    const redacted = await redactToBytes({ path, content })
    return { path: redacted.path, content: Buffer.from(redacted.content).toString('utf8') }
  }
  const redacted = await Promise.all([...files].map(([path, content]) => redact(path, content)))
  return { meta: (await redact(bundlePath.meta, printMeta(meta))).content, files: redacted }
}
