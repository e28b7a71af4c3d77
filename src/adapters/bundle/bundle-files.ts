/** The files of a bundle, wherever they lie. Paths are relative and were checked. */
export type BundleFiles = {
  readonly sizes: ReadonlyMap<string, number>
  readonly chunks: (path: string) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}
