import type { Path, Remark } from '#/adapters/documents/problem.ts'

export type Said = {
  readonly path: Path
  /** Null where the file has none: that is told by the schema. */
  readonly name: string | null
  /** In place of the name, for the message. */
  readonly shown?: string
}

/** Each one that was there before. */
export function twice(all: readonly Said[], message: string): readonly Remark[] {
  const before = new Set<string>()
  return all.flatMap(({ path, name, shown }): readonly Remark[] => {
    if (name === null) return []
    const isTwice = before.has(name)
    before.add(name)
    const text = shown ?? name
    return isTwice ? [{ path, message: `${text === '' ? '' : `${text} `}${message}`, advice: 'keep one of them' }] : []
  })
}
