/** A document as it comes back from a column of JSON: what JSON cannot say is gone, and nobody else holds the object. */
export function asStored(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document ?? null))
}
