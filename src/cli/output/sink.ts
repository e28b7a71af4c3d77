/** As much of a stream as the command line writes to. */
export type Sink = {
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}
