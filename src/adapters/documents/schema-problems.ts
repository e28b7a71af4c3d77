import { z } from 'zod'
import type { Path, Problem } from './problem.ts'
import { pathName } from './problem.ts'
import type { PlacedDocument } from './placed-document.ts'
import type { Suggest } from './suggest.ts'
import { suggestions } from './suggest.ts'

/** Every schema error as text, with its position in the file. */
export function schemaProblems(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  document: PlacedDocument,
): readonly Problem[] {
  const suggest = suggestions()
  return issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownKey(key, path, { schema, document, suggest }))
    }
    return [wrongValue(issue, path, { document, suggest })]
  })
}

type Lookup = { readonly document: PlacedDocument; readonly suggest: Suggest }

function unknownKey(
  key: string,
  path: Path,
  { schema, document, suggest }: { readonly schema: z.ZodType } & Lookup,
): Problem {
  const known = keysAt(schema, path)
  const meant = suggest(key, known)
  return {
    ...document.atKey([...path, key]),
    message: `unknown key ${pathName([...path, key])}`,
    advice: meant.length === 0 ? `known here: ${known.join(', ')}` : `did you mean ${meant.join(' or ')}?`,
  }
}

function wrongValue(issue: z.core.$ZodIssue, path: Path, { document, suggest }: Lookup): Problem {
  const name = pathName(path) || 'the file'
  const value = valueAt(document.value, path)
  if (value === undefined) {
    const wanted =
      issue.code === 'invalid_value' && issue.values.length === 1
        ? `write ${path.at(-1)}: ${String(issue.values[0])}`
        : null
    return { ...document.at(path), message: `${name} is missing`, advice: wanted }
  }
  const place = document.at(path)
  switch (issue.code) {
    case 'invalid_type':
      return {
        ...place,
        message: `${name} is ${value === null ? 'empty' : 'wrong'}: it must be ${KINDS[issue.expected] ?? issue.expected}`,
        advice: null,
      }
    case 'invalid_value': {
      const known = issue.values.map(String)
      if (known.length === 1) return { ...place, message: `${name} is not ${known[0]}`, advice: `write ${known[0]}` }
      const meant = typeof value === 'string' ? suggest(value, known) : []
      return {
        ...place,
        message: `${name} has an unknown value`,
        advice: meant.length === 0 ? `known: ${known.join(', ')}` : `did you mean ${meant.join(' or ')}?`,
      }
    }
    default:
      return { ...place, message: `${name} ${issue.message}`, advice: null }
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'a list',
  object: 'a mapping',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  record: 'a mapping',
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inside, part) => {
    return typeof inside === 'object' && inside !== null
      ? (inside as Readonly<Record<string, unknown>>)[part]
      : undefined
  }, value)
}

/** The keys that the mapping at this path may have. */
function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  const plain = unwrapped(schema)
  const [part, ...rest] = path
  if (plain instanceof z.ZodObject) {
    if (part === undefined) return Object.keys(plain.shape)
    const inner: unknown = plain.shape[part]
    return inner instanceof z.ZodType ? keysAt(inner, rest) : []
  }
  return plain instanceof z.ZodArray && plain.element instanceof z.ZodType ? keysAt(plain.element, rest) : []
}

function unwrapped(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault
  return isWrapped ? unwrapped(schema.unwrap()) : schema
}
