import type { z } from 'zod'

/** One part of a list of the file, with its place in the list. */
export type Item<T> = { readonly index: number; readonly rule: T }

/** The parts of a list that are well-formed: what is wrong with one must not hide what is wrong with the next. */
export function validItems<S extends z.ZodType>(
  file: unknown,
  list: string,
  { schema, most }: { readonly schema: S; readonly most: number },
): readonly Item<z.output<S>>[] {
  return itemsIn(file, list)
    .slice(0, most)
    .flatMap((item, index) => {
      const parsed = schema.safeParse(item)
      return parsed.success ? [{ index, rule: parsed.data }] : []
    })
}

/** The ids of a list, also those of parts that are wrong otherwise. */
export function idsIn(file: unknown, list: string): readonly Item<string>[] {
  return itemsIn(file, list).flatMap((item, index) => {
    const id: unknown = readField(item, 'id')
    return typeof id === 'string' ? [{ index, rule: id }] : []
  })
}

function itemsIn(file: unknown, list: string): readonly unknown[] {
  const items = readField(file, list)
  return Array.isArray(items) ? items : []
}

function readField(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined
}
