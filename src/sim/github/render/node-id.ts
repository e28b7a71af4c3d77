/** GitHub's global ids: opaque to callers. */
export function nodeId(kind: string, id: number): string {
  return Buffer.from(`${kind}:${id}`).toString('base64')
}
