import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { answerFor, blindByAnswer } from '#/core/evidence/bundle-source.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Blind, Observed, Seen } from '#/core/basics/observed.ts'
import type { BundleLimits } from '#/ports/bundle.ts'
import type { BundleFiles } from './bundle-files.ts'
import { whyRefused } from './bundle-refusal.ts'
import { decodeText } from './decode-text.ts'
import type { ParseSource } from './parse-source.ts'
import { readAll } from './read-all.ts'

/** Where the rules of `meta.json` and of the limits are applied, once for all sources. */
export type SourceReader = {
  readonly paths: readonly string[]
  readonly fileSize: (path: string) => number | undefined
  /** What a file says, or why nothing is known of it. */
  readonly read: <T>(path: string, parse: ParseSource<T>) => Promise<Observed<T>>
  /** The same for what reads the file by itself, piece by piece. */
  readonly stream: <T>(
    path: string,
    take: (chunks: AsyncIterable<Uint8Array>) => Promise<Observed<T>>,
    how?: Streaming,
  ) => Promise<Observed<T>>
  /** What is there of a source with many files. */
  readonly list: <T>(source: string, nameOf: (path: string) => T | null) => Observed<readonly T[]>
}

/** A larger file than others may be, in chunks that lie in one buffer. */
export type Streaming = { readonly mostBytes?: number; readonly buffer?: Buffer }

export function createSourceReader(given: {
  readonly files: BundleFiles
  readonly meta: BundleMeta
  readonly limits: BundleLimits
  readonly signal: AbortSignal
}): SourceReader {
  const { files, meta, limits, signal } = given
  const paths = [...files.sizes.keys()].toSorted()

  const stream: SourceReader['stream'] = async (path, take, { mostBytes, buffer } = {}) => {
    const admitted = admit(path, mostBytes)
    if (admitted.kind === 'blind') return admitted
    try {
      return await take(untilStopped(files.chunks(path, buffer), signal))
    } catch (error) {
      const why = whyRefused(error, signal)
      if (why === null) throw error
      return blind(signal.aborted ? 'stopped' : 'unreachable', `${path}: ${why}`)
    }
  }

  const admit = (path: string, mostBytes = limits.fileBytes): Seen<string> | Blind => {
    const answer = answerFor(meta.sources, path)
    if (answer !== null && answer.kind !== 'looked') return blindByAnswer(answer)
    const size = files.sizes.get(path)
    if (size === undefined) return blind('not-asked', `${path} was not collected`)
    return size > mostBytes ? blind('too-large', `${path} has ${size} bytes`) : seen(path)
  }

  return {
    paths,
    fileSize: (path) => files.sizes.get(path),
    stream,
    read: (path, parse) =>
      stream(path, async (chunks) => {
        const observed = parse(decodeText(await readAll(chunks, limits.fileBytes)))
        return observed.kind === 'blind' ? blind(observed.reason.code, `${path}: ${observed.reason.detail}`) : observed
      }),
    list: (source, nameOf) => {
      const readable = paths.filter((path) => path.startsWith(`${source}/`) && admit(path).kind === 'seen')
      const names = new Set(readable.map(nameOf).filter((name) => name !== null))
      if (names.size > 0) return seen([...names])
      const answer = answerFor(meta.sources, source)
      if (answer === null) return blind('not-asked', `${source} was not collected`)
      return answer.kind === 'looked' ? none() : blindByAnswer(answer)
    },
  }
}

async function* untilStopped(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    yield chunk
  }
}
