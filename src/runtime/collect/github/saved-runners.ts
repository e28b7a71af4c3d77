import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import { timeAt } from '#/core/basics/fields.ts'
import type { JsonObject } from '#/ports/bundle.ts'

export type SavedReading =
  | {
      readonly kind: 'read'
      readonly rows: readonly JsonObject[]
      readonly total: number | null
      /** Where the file says itself when it was made; of several pages the oldest. */
      readonly collectedAt: number | null
    }
  | { readonly kind: 'wrong'; readonly why: string }

/**
 * GitHub's list of runners as people save it: one answer, the rows alone, several answers in an array (`gh api --slurp`)
 * or one behind the other (`gh api --paginate`).
 */
export function readSavedRunners(text: string): SavedReading {
  const documents = splitDocuments(text)
  if (documents.length === 0) return wrong('it is empty')
  const pages: unknown[] = []
  for (const document of documents) {
    const reading = parseJson(document)
    if (reading.kind === 'malformed') return wrong(reading.why)
    if (Array.isArray(reading.value)) pages.push(...asPages(reading.value))
    else pages.push(reading.value)
  }
  return merged(pages)
}

/** An array holds answers, or it is the rows of one. */
function asPages(values: readonly unknown[]): readonly unknown[] {
  const isPages = values.length > 0 && values.every((value) => isJsonObject(value) && Array.isArray(value['runners']))
  return isPages ? values : [{ runners: values }]
}

function merged(pages: readonly unknown[]): SavedReading {
  const rows = new Map<string, JsonObject>()
  let total: number | null = null
  for (const page of pages) {
    const runners = isJsonObject(page) ? page['runners'] : undefined
    if (!isJsonObject(page) || !Array.isArray(runners)) return wrong("it is not GitHub's list: it has no runners")
    for (const row of runners as readonly unknown[]) {
      if (!isJsonObject(row) || typeof row['name'] !== 'string') return wrong('a runner in it has no name')
      rows.set(`${String(row['id'])}/${row['name']}`, row)
    }
    const count = page['total_count']
    if (typeof count === 'number') total = Math.max(total ?? 0, count)
  }
  const times = pages.flatMap((page) => timeAt(page, 'collectedAt') ?? [])
  const collectedAt = times.length === 0 ? null : Math.min(...times)
  return { kind: 'read', rows: [...rows.values()], total, collectedAt }
}

/** Documents that stand one behind the other; text outside of any is a document of its own, and no JSON. */
function splitDocuments(text: string): readonly string[] {
  const documents: string[] = []
  let start = 0
  let depth = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isQuoted) {
      if (character === '\\') index += 1
      else if (character === '"') isQuoted = false
    } else if (character === '"') isQuoted = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth > 0) continue
      documents.push(text.slice(start, index + 1))
      start = index + 1
    }
  }
  return [...documents, text.slice(start)].map((document) => document.trim()).filter((document) => document !== '')
}

function wrong(why: string): SavedReading {
  return { kind: 'wrong', why }
}
