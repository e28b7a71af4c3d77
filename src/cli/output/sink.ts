/** The part of a stream that the command line uses. */
export type Sink = {
  readonly write: (text: string, encoding?: 'latin1') => unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}
