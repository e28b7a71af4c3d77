/** The files of a bundle, wherever they lie. Paths are relative and were checked. */
export type BundleFiles = {
  readonly sizes: ReadonlyMap<string, number>
  /** With a buffer each chunk lies in it and is good until the next one: for who reads a large file and keeps none of it. */
  readonly chunks: (path: string, buffer?: Buffer) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}
