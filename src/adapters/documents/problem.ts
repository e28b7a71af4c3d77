/** What is wrong in a file, where, and what to do about it. */
export type Problem = Place & { readonly message: string; readonly advice: string | null }

/** Both are counted from one. */
export type Place = { readonly line: number; readonly column: number }

/** A problem before its position in the file is known. */
export type Remark = { readonly path: Path; readonly message: string; readonly advice: string | null }

export type Path = readonly (string | number)[]

/** In the order of the file. */
export function byPlace(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column
}

/** `signatures[0].patterns[1].regex` */
export function pathName(path: Path): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? part : `${name}.${part}`
  }, '')
}

/** Adds the position in the file to each remark. */
export function placed(remarks: readonly Remark[], at: (path: Path) => Place): readonly Problem[] {
  return remarks.map(({ path, message, advice }) => {
    const { line, column } = at(path)
    return { line, column, message: `${pathName(path) || 'the file'} ${message}`, advice }
  })
}
