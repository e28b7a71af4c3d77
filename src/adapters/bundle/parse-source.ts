import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import { observeLines } from '#/core/evidence/bundle-lines.ts'
import type { Lines } from '#/core/evidence/bundle-lines.ts'
import { blind, none, seen, seenList } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { BundleObject, JsonObject } from '#/ports/bundle.ts'

/** What a file's text says, as the tool printed it. Each answers `malformed` with the reason where it is something else. */
export type ParseSource<T> = (text: string) => Observed<T>

export const parseText: ParseSource<string> = (text) => (text === '' ? none() : seen(text))

export const parseObject: ParseSource<JsonObject> = (text) => {
  const reading = parseJson(text)
  if (reading.kind === 'malformed') return blind('malformed', reading.why)
  return isJsonObject(reading.value) ? seen(reading.value) : blind('malformed', 'it is not a JSON object')
}

/** A List as kubectl prints it, or one page of the API: a page that says that there are more is not the list. */
export const parseKubernetesList: ParseSource<readonly BundleObject[]> = (text) => {
  const list = parseObject(text)
  return list.kind === 'seen' ? readItems(list.value, list.value['items']) : list
}

export function readItems(list: JsonObject, items: unknown): Observed<readonly BundleObject[]> {
  const { metadata } = list
  if (!Array.isArray(items)) return blind('malformed', 'it has no items')
  if (!items.every(isBundleObject)) return blind('malformed', 'an item has no name')
  if (isJsonObject(metadata) && hasMorePages(metadata)) return blind('truncated', 'the list goes on: pages are missing')
  return seenList(items)
}

function hasMorePages(metadata: JsonObject): boolean {
  const { continue: next, remainingItemCount } = metadata
  return (typeof next === 'string' && next !== '') || (typeof remainingItemCount === 'number' && remainingItemCount > 0)
}

function isBundleObject(value: unknown): value is BundleObject {
  return isJsonObject(value) && isJsonObject(value['metadata']) && typeof value['metadata']['name'] === 'string'
}

/**
 * Rows as an array, or under a key beside `total_count`, which shows whether the list is complete; also page by page, as
 * `gh api --paginate --slurp` prints them. `isRow` says what a row has to have: one without it could be anything.
 */
export function parseRows(
  key: string,
  isRow: (row: JsonObject) => boolean = () => true,
): ParseSource<readonly JsonObject[]> {
  return (text) => {
    const reading = parseJson(text)
    if (reading.kind === 'malformed') return blind('malformed', reading.why)
    const { value } = reading
    const pages = readPages(value, key)
    const rows: unknown = pages === null ? value : pages.flatMap((page) => page[key])
    if (!Array.isArray(rows)) return blind('malformed', `it is neither an array nor has it ${key}`)
    if (!rows.every(isJsonObject)) return blind('malformed', 'a row is not an object')
    if (!rows.every(isRow)) return blind('malformed', 'a row lacks what every row of this list has')
    const total = Math.max(0, ...(pages ?? []).map(({ total_count }) => Number(total_count ?? 0) || 0))
    return total > rows.length ? blind('truncated', `it has ${rows.length} of ${total} rows`) : seenList(rows)
  }
}

function readPages(value: unknown, key: string): readonly JsonObject[] | null {
  if (isJsonObject(value)) return [value]
  const isPaged = Array.isArray(value) && value.length > 0 && value.every((page) => isJsonObject(page) && key in page)
  return isPaged ? (value as readonly JsonObject[]) : null
}

/** GitLab gives every runner a number. */
export function isGitLabRunnerRow({ id }: JsonObject): boolean {
  return typeof id === 'number'
}

/** A runner of which GitHub's own fields are missing is not "offline and not busy": nothing is known of it. */
export function isRunnerRow({ name, status, busy }: JsonObject): boolean {
  return typeof name === 'string' && name !== '' && typeof status === 'string' && typeof busy === 'boolean'
}

export function isJobRow({ id, status }: JsonObject): boolean {
  return typeof id === 'number' && typeof status === 'string'
}

/** One object a line. Lines that do not parse are counted; a last line that nothing ends is cut. */
export const parseObjectLines: ParseSource<Lines<JsonObject>> = (text) => {
  const lines = text.split(/\r?\n/)
  const objects: JsonObject[] = []
  const faults: { readonly index: number; readonly why: string }[] = []
  for (const [index, line] of lines.entries()) {
    const object = line.trim() === '' ? none() : parseObject(line)
    if (object.kind === 'seen') objects.push(object.value)
    if (object.kind === 'blind') faults.push({ index, why: object.reason.detail })
  }
  return observeLines(objects, findGaps(faults, lines.length))
}

function findGaps(
  faults: readonly { readonly index: number; readonly why: string }[],
  total: number,
): readonly BlindReason[] {
  const isCut = faults.at(-1)?.index === total - 1
  const inside = isCut ? faults.slice(0, -1) : faults
  const [first] = inside
  return [
    ...(first === undefined
      ? []
      : [{ code: 'malformed' as const, detail: `${inside.length} of ${total} lines are unreadable: ${first.why}` }]),
    ...(isCut ? [{ code: 'truncated' as const, detail: 'the last line is cut' }] : []),
  ]
}
