/** RFC 3339 to the second, as in Kubernetes objects. */
export function printTime(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
