import type { Path, Remark } from '#/adapters/documents/problem.ts'

export type NamedItem = {
  readonly path: Path
  /** Null if the file has none: the schema reports that. */
  readonly name: string | null
  /** Shown in the message instead of the name. */
  readonly shown?: string
}

/** A remark for each name that already occurred. */
export function findDuplicateNames(all: readonly NamedItem[], message: string): readonly Remark[] {
  const before = new Set<string>()
  return all.flatMap(({ path, name, shown }): readonly Remark[] => {
    if (name === null) return []
    const isTwice = before.has(name)
    before.add(name)
    const text = shown ?? name
    return isTwice ? [{ path, message: `${text === '' ? '' : `${text} `}${message}`, advice: 'keep one of them' }] : []
  })
}
