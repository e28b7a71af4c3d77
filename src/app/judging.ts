import { sha256 } from '#/adapters/sha256.ts'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { openParts } from '#/adapters/bundle/open-parts.ts'
import { redactFile, redactPath } from '#/adapters/bundle/redact-file.ts'
import { writeBundle } from '#/adapters/bundle/write-bundle.ts'
import { CAUSES } from '#/causes/index.ts'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { toJudgedDeath } from '#/core/recorder/judged-death.ts'
import { redactJson } from '#/core/redaction/redaction.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { expiredParts, toFiles } from '#/runtime/recorder/evidence-parts.ts'
import type { RedactedFile } from '#/runtime/recorder/collect-evidence.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import { judgeBundle, buildRules } from '#/runtime/why/judge-bundle.ts'
import { SIGNATURES } from '#/signatures/index.ts'

/** Everything here runs in the thread that calls it. The server calls it through `judging-threads.ts`. */

/** The rules of `why`, for bundles in memory. */
export function makeJudge(): RecordingMeans['judge'] {
  const rules = buildRules(SIGNATURES)
  return async (files, signal) => {
    const opening = openParts(files, signal)
    if (opening.kind === 'refused') return null
    await using bundle = opening.bundle
    const findings = await judgeBundle(bundle, null, { rules, causes: CAUSES })
    const found = findings.kind === 'found' ? (findings.results[0] ?? null) : null
    return found === null ? null : toJudgedDeath(found)
  }
}

/** As `collect` writes files. */
export async function redactToBytes(file: BundleFile): Promise<RedactedFile> {
  const chunks: Uint8Array[] = []
  for await (const chunk of redactFile(file, BUNDLE_LIMITS.fileBytes)) chunks.push(chunk)
  return { kind: 'redacted', path: redactPath(file.path), content: Buffer.concat(chunks) }
}

export async function redactObject(object: object): Promise<object> {
  return JSON.parse(redactJson(JSON.stringify(object), sha256)) as object
}

const UNSTOPPED = new AbortController().signal
/** The stored evidence as the .tar.gz that `why --bundle` reads; a text says why there is none. */
export async function packEvidence(evidence: readonly EvidencePart[]): Promise<Uint8Array | string> {
  const stored = toFiles(evidence)
  const meta = stored.get(bundlePath.meta)
  if (meta === undefined) return 'no evidence is kept of it: a clean end is one row, and old evidence expires'
  const reading = parseMeta(Buffer.from(meta).toString('utf8'))
  if (reading.kind === 'unreadable') return `the stored meta.json cannot be read: ${reading.why}`
  const files = [...stored].flatMap(([path, content]) => (path === bundlePath.meta ? [] : [{ path, content }]))
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-export-'))
  try {
    const target = join(folder, 'bundle.tar.gz')
    const writing = await writeBundle(
      target,
      { files, meta: () => withExpired(reading.meta, evidence) },
      BUNDLE_LIMITS,
      UNSTOPPED,
    )
    if (writing.kind === 'written') return await readFile(target)
    // It is kept: whoever cannot pack it must not say that there is none.
    throw new Error(writing.kind === 'refused' ? writing.why : 'packing was stopped')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A file that retention took is not one that was never there. */
function withExpired(meta: BundleMeta, evidence: readonly EvidencePart[]): BundleMeta {
  const expired = [...expiredParts(evidence)].map(([path, reason]) => {
    return [path.replace(/(?:\.previous)?\.\w+$/, ''), { kind: 'blind', reason }] as const
  })
  return { ...meta, sources: new Map([...meta.sources, ...expired]) }
}
