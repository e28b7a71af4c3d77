import type { Document } from 'yaml'
import type { yamlValue } from '#/adapters/documents/yaml-text.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { isJsonObject } from '#/core/evidence/bundle-json.ts'
import type { SourceFile } from './source-files.ts'
import { problemIn } from './source-problem.ts'
import type { SourceProblem } from './source-problem.ts'

export type SourceDocument = {
  readonly file: string
  readonly fields: Fields
  /** The position of the value at a path of the document. */
  readonly findLine: (path: readonly (string | number)[]) => Pick<SourceProblem, 'line' | 'column'>
}

export type SourceDocuments = {
  readonly documents: readonly SourceDocument[]
  readonly problems: readonly SourceProblem[]
}

/** YAML parses many times slower than JSON, and nobody writes this much by hand. */
const LARGEST_YAML = 32 * 2 ** 20

const NO_POSITION = { line: null, column: null }

/** JSON, or YAML with any number of documents. A document with a mistake is reported; the others are used. */
export async function parseSource({ path, text }: Pick<SourceFile, 'path' | 'text'>): Promise<SourceDocuments> {
  const json = /^\s*[[{]/.test(text) ? parseJson(path, text) : null
  if (json !== null && json.problems.length === 0) return json
  if (text.length > LARGEST_YAML)
    return json ?? failed(problemIn(path, `it is YAML with more than ${LARGEST_YAML} characters`))
  const yaml = await parseYaml(path, text)
  return yaml.documents.length === 0 && json !== null ? json : yaml
}

function failed(problem: SourceProblem): SourceDocuments {
  return { documents: [], problems: [problem] }
}

function parseJson(file: string, text: string): SourceDocuments {
  try {
    const value: unknown = JSON.parse(text)
    const documents = (Array.isArray(value) ? value : [value]).filter(isJsonObject)
    return { documents: documents.map((fields) => ({ file, fields, findLine: () => NO_POSITION })), problems: [] }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it is not JSON'
    const offset = /position (\d+)/.exec(why)?.[1]
    const place = offset === undefined ? NO_POSITION : placeAt(text, Number(offset))
    return failed({ file, ...place, why: why.replace(/ in JSON at position.*$/, '') })
  }
}

function placeAt(text: string, offset: number): Pick<SourceProblem, 'line' | 'column'> {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

async function parseYaml(file: string, text: string): Promise<SourceDocuments> {
  const [{ isNode }, { openYamlDocuments, yamlValue }] = await Promise.all([
    import('yaml'),
    import('#/adapters/documents/yaml-text.ts'),
  ])
  const { parsed, findPlace } = openYamlDocuments(text)
  const documents: SourceDocument[] = []
  const problems: SourceProblem[] = []
  for (const document of parsed) {
    const [error] = document.errors
    const value = error === undefined ? fieldsIn(yamlValue(document)) : null
    if (error !== undefined) problems.push({ file, ...findPlace(error.pos[0]), why: explainError(error.message, text) })
    else if (typeof value === 'string') problems.push({ file, ...findPlace(document.range[0]), why: value })
    else if (value !== null) {
      const findLine: SourceDocument['findLine'] = (path) => {
        const node = nearest(document, path)
        return isNode(node) && node.range ? findPlace(node.range[0]) : NO_POSITION
      }
      documents.push({ file, fields: value, findLine })
    }
  }
  return { documents, problems }
}

function explainError(message: string, text: string): string {
  return text.includes('{{') ? `${message}; it looks like a template: use the output of helm template` : message
}

/** Null if it is not a mapping; an error message if it cannot be resolved. */
function fieldsIn(resolved: ReturnType<typeof yamlValue>): Fields | string | null {
  if ('why' in resolved) return resolved.why
  return isJsonObject(resolved.value) ? resolved.value : null
}

/** A missing key has no position: use its nearest existing parent. */
function nearest(document: Document, path: readonly (string | number)[]): unknown {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (node !== undefined) return node
  }
  return document.contents
}
