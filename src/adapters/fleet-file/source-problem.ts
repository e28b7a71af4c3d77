/** What is wrong in one of the input files, and where. */
export type SourceProblem = {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly why: string
}

export function problemIn(file: string, why: string): SourceProblem {
  return { file, line: null, column: null, why }
}
