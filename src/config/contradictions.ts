import type { Entry, Problem } from '#/config/entry.ts'
import { describeOrigin } from '#/config/entry.ts'

/** What no single setting gets wrong. Judged on what was given, so that the message can say where. */
export function contradictions(entries: ReadonlyMap<string, Entry>): readonly Problem[] {
  const token = entries.get('github.token')
  const id = entries.get('github.app.id')
  const key = entries.get('github.app.privateKey')
  const cert = entries.get('tls.certFile')
  const tlsKey = entries.get('tls.keyFile')
  const problem = (entry: Entry, message: string): Problem => ({
    where: describeOrigin(entry.origin),
    message,
    meant: [],
  })
  return [
    ...(token !== undefined && id !== undefined ? [problem(token, 'give github.token or github.app, not both')] : []),
    ...(id !== undefined && key === undefined
      ? [problem(id, 'github.app.id needs github.app.privateKey or github.app.privateKeyFile')]
      : []),
    ...(key !== undefined && id === undefined ? [problem(key, 'github.app.privateKey needs github.app.id')] : []),
    ...(cert !== undefined && tlsKey === undefined ? [problem(cert, 'tls.certFile needs tls.keyFile')] : []),
    ...(tlsKey !== undefined && cert === undefined ? [problem(tlsKey, 'tls.keyFile needs tls.certFile')] : []),
  ]
}
