/** What is wrong with a file that a person wrote, where it stands, and what to do about it. */
export type Problem = Place & { readonly message: string; readonly advice: string | null }

/** Both are counted from one. */
export type Place = { readonly line: number; readonly column: number }

/** The same before its place in the file is looked up. */
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

/** Each at its place in the file. */
export function placed(remarks: readonly Remark[], at: (path: Path) => Place): readonly Problem[] {
  return remarks.map(({ path, message, advice }) => {
    const { line, column } = at(path)
    return { line, column, message: `${pathName(path) || 'the file'} ${message}`, advice }
  })
}
