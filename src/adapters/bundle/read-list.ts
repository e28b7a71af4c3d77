import { isJsonObject } from '#/core/evidence/bundle-json.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { BundleLimits, BundleObject } from '#/ports/bundle.ts'
import { readItems, parseKubernetesList } from './parse-source.ts'
import type { SourceReader } from './source-reader.ts'
import { ItemSplitter } from './split-items.ts'

/** Smaller lists are read as a whole: that gives the position of an error and supports every encoding. */
const WHOLE_BYTES = 16 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

export async function readList(
  reader: SourceReader,
  path: string,
  limits: Pick<BundleLimits, 'listBytes'>,
): Promise<Observed<readonly BundleObject[]>> {
  if ((reader.fileSize(path) ?? 0) <= WHOLE_BYTES) return reader.read(path, parseKubernetesList)
  const how = { mostBytes: limits.listBytes, buffer: Buffer.allocUnsafe(CHUNK_BYTES) }
  const take = async (chunks: AsyncIterable<Uint8Array>): Promise<Observed<readonly BundleObject[]>> => {
    const list = await readLarge(chunks)
    return list.kind === 'blind' ? blind(list.reason.code, `${path}: ${list.reason.detail}`) : list
  }
  return reader.stream(path, take, how)
}

async function readLarge(chunks: AsyncIterable<Uint8Array>): Promise<Observed<readonly BundleObject[]>> {
  const items: unknown[] = []
  const splitter = new ItemSplitter((some) => {
    for (const item of some) items.push(item)
  })
  for await (const chunk of chunks) splitter.push(chunk)
  const reading = splitter.end()
  if (reading.kind === 'malformed') return blind('malformed', reading.why)
  return isJsonObject(reading.value) ? readItems(reading.value, items) : blind('malformed', 'it is not a JSON object')
}
