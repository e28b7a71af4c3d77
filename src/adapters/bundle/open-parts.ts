import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleOpening } from '#/ports/bundle.ts'
import { BUNDLE_LIMITS } from './open-bundle.ts'
import { createBundle } from './create-bundle.ts'
import { decodeText } from './decode-text.ts'

/** A bundle out of files in memory, by their paths: what the store kept of one death. */
export function openParts(files: ReadonlyMap<string, Uint8Array>, signal: AbortSignal): BundleOpening {
  const meta = files.get(bundlePath.meta)
  if (meta === undefined) return { kind: 'refused', why: 'it has no meta.json' }
  const reading = parseMeta(decodeText(meta))
  if (reading.kind === 'unreadable') return { kind: 'refused', why: `meta.json: ${reading.why}` }
  const sizes = new Map([...files].map(([path, content]) => [path, content.length]))
  const chunks = async function* (path: string): AsyncGenerator<Uint8Array> {
    const content = files.get(path)
    if (content !== undefined) yield content
  }
  const opened = { sizes, chunks, close: async () => {} }
  return { kind: 'opened', bundle: createBundle({ files: opened, meta: reading.meta, limits: BUNDLE_LIMITS, signal }) }
}
