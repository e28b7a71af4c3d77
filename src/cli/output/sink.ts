/** As much of a stream as the command line writes to. */
export type Sink = {
  readonly write: (text: string, encoding?: 'latin1') => unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}
