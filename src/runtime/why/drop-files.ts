import { parseMeta, printMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { sourceName } from '#/core/evidence/bundle-source.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'

type Files = ReadonlyMap<string, Uint8Array>

/** A bundle with fewer files: the sources of those that are left out are blind with the reason. */
export function dropFiles(files: Files, isDropped: (path: string) => boolean, reason: BlindReason): Files {
  const meta = files.get(bundlePath.meta)
  const reading = meta === undefined ? null : parseMeta(new TextDecoder().decode(meta))
  const dropped = [...files.keys()].filter((path) => path !== bundlePath.meta && isDropped(path))
  if (reading?.kind !== 'read' || dropped.length === 0) return files
  const answers = dropped.map((path) => [sourceName(path), { kind: 'blind', reason: describeReason(reason) }] as const)
  const sources = new Map([...reading.meta.sources, ...answers])
  const kept = [...files].filter(([path]) => !dropped.includes(path))
  return new Map([...kept, [bundlePath.meta, new TextEncoder().encode(printMeta({ ...reading.meta, sources }))]])
}

export function largestFile(files: Files): string | null {
  const sizes = [...files].filter(([path]) => path !== bundlePath.meta)
  return sizes.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null
}
