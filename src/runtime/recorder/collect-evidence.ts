import { parseMeta, printMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta, BundleSubject, SourceAnswer } from '#/core/evidence/bundle-meta.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import { sourceName } from '#/core/evidence/bundle-source.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { sha256 } from '#/runtime/sha256.ts'
import type { Draft } from './draft.ts'
import { toParts } from './evidence-parts.ts'
import type { Collected } from './held-evidence.ts'

type Redacting = { readonly redact: (file: BundleFile, key: string) => Promise<RedactedFile | Blind> }

export type RedactedFile = { readonly kind: 'redacted'; readonly path: string; readonly content: Uint8Array }

type Written = { readonly parts: readonly EvidencePart[]; readonly collected: Collected }

/** Redacts what is new: that is the most expensive step. What was stored before is not written again. */
export async function collect(
  { redact }: Redacting,
  { files, before, meta: describe }: Draft,
  { subject, revision }: { readonly subject: Partial<BundleSubject>; readonly revision: number },
): Promise<Written> {
  const marks = new Map(before?.marks)
  const isNew = (file: BundleFile): boolean => {
    const mark = markOf(file)
    const known = marks.get(file.path)
    if (mark !== null) marks.set(file.path, mark)
    return mark === null || known !== mark
  }
  const key = describe(subject).subject.node ?? ''
  const added = new Map<string, Uint8Array>()
  const costly = new Map<string, SourceAnswer>()
  const add = async (file: BundleFile): Promise<void> => {
    const redacted = await redact(file, key)
    if (redacted.kind !== 'blind') return void added.set(redacted.path, redacted.content)
    marks.delete(file.path)
    costly.set(sourceName(file.path), { kind: 'blind', reason: describeReason(redacted.reason) })
  }
  await Promise.all(files.values().filter(isNew).map(add))
  const described = describe(subject)
  const sources = new Map([...described.sources, ...costly])
  const meta = await redactedMeta(redact, { ...described, sources })
  const all = new Map([...(before?.files ?? []), ...added])
  return { parts: toParts(added, meta, revision), collected: { files: all, meta, marks, inHand: null } }
}

/** Of the content before redaction; null where it can be read only once. */
function markOf({ content }: BundleFile): string | null {
  if (typeof content === 'string') return sha256(Buffer.from(content))
  return content instanceof Uint8Array ? sha256(content) : null
}

/** As a bundle in memory. */
export function filesOf({ files, meta }: Collected): ReadonlyMap<string, Uint8Array> {
  return new Map([...files, [bundlePath.meta, new TextEncoder().encode(printMeta(meta))] as const])
}

/** The reason why a source is blind may quote another program, and so a secret. */
async function redactedMeta(redact: Redacting['redact'], meta: BundleMeta): Promise<BundleMeta> {
  const redacted = await redact({ path: bundlePath.meta, content: printMeta(meta) }, meta.subject.node ?? '')
  if (redacted.kind === 'blind') throw new Error(`meta.json cannot be redacted: ${describeReason(redacted.reason)}`)
  const reading = parseMeta(new TextDecoder().decode(redacted.content))
  if (reading.kind === 'unreadable') throw new Error(`meta.json is unreadable when redacted: ${reading.why}`)
  return reading.meta
}
