import type { Entry, Problem } from '#/config/entry.ts'
import { describeOrigin } from '#/config/entry.ts'

/** Conflicts between settings. Checked on the raw entries, so that the message can name the origin. */
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
    ...(token !== undefined && id !== undefined
      ? [problem(token, 'github.token cannot be combined with github.app: set one of them')]
      : []),
    ...(id !== undefined && key === undefined
      ? [problem(id, 'github.app.id requires github.app.privateKey or github.app.privateKeyFile')]
      : []),
    ...(key !== undefined && id === undefined ? [problem(key, 'github.app.privateKey requires github.app.id')] : []),
    ...(cert !== undefined && tlsKey === undefined ? [problem(cert, 'tls.certFile requires tls.keyFile')] : []),
    ...(tlsKey !== undefined && cert === undefined ? [problem(tlsKey, 'tls.keyFile requires tls.certFile')] : []),
  ]
}
