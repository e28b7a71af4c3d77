/** RFC 3339 to the second, as the objects of Kubernetes have it. */
export function printTime(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
