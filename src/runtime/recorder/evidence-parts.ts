import type { BundleMeta, SourceAnswer } from '#/core/evidence/bundle-meta.ts'
import { printMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'

/**
 * The evidence of one death is a bundle, kept file by file: a part is named by its path in the bundle, and a source that
 * was asked and gave no file by its name. So what is stored can be opened, judged again and exported as it was seen.
 */
export function toParts(
  files: ReadonlyMap<string, Uint8Array>,
  meta: BundleMeta,
  revision: number,
): readonly EvidencePart[] {
  const seen = [...files].map(([source, content]): EvidencePart => ({
    source,
    // An empty log: the source was read, and there is none.
    observed: content.length === 0 ? 'none' : 'seen',
    reason: null,
    content,
    revision,
  }))
  const silent = [...meta.sources].flatMap(([source, answer]) => withoutFile(source, answer, revision))
  const document = new TextEncoder().encode(printMeta(meta))
  return [...seen, ...silent, { source: bundlePath.meta, observed: 'seen', reason: null, content: document, revision }]
}

/** Sources that gave files are named by their files. */
function withoutFile(source: string, answer: SourceAnswer, revision: number): readonly EvidencePart[] {
  if (answer.kind === 'looked') return []
  const reason = answer.kind === 'blind' ? answer.reason : answer.why
  return [{ source, observed: 'blind', reason, content: null, revision }]
}

/** The files of the bundle. Parts that retention deleted are missing here; the reader adds them to `meta.json`. */
export function toFiles(parts: readonly EvidencePart[]): ReadonlyMap<string, Uint8Array> {
  return new Map(parts.flatMap(({ source, content }) => (content === null ? [] : [[source, content] as const])))
}

/** File endings in a bundle. Node names contain dots too. */
const FILE = /\.(?:json|jsonl|log|txt)$/

/** Files of the kernel and of the host keep their own names. */
function isFile(source: string): boolean {
  const [first, ...more] = source.split('/')
  if (first === 'cgroup') return more.length > 3
  return first === 'host' ? more.length > 1 : FILE.test(source)
}

/** Without sources that were blind at first and gave a file later. */
export function standingParts(parts: readonly EvidencePart[]): readonly EvidencePart[] {
  const given = new Set(
    parts.flatMap(({ source, observed }) => (observed === 'blind' ? [] : [source.replace(FILE, '')])),
  )
  return parts.filter(({ source, observed }) => observed !== 'blind' || !given.has(source))
}

/** Why a file that was stored can no longer be read, by path. */
export function expiredParts(parts: readonly EvidencePart[]): ReadonlyMap<string, string> {
  return new Map(
    parts.flatMap(({ source, observed, reason, content }) =>
      observed === 'blind' && content === null && isFile(source) && reason !== null ? [[source, reason] as const] : [],
    ),
  )
}
