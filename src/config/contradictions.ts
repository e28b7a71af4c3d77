import type { Entry, Problem } from '#/config/entry.ts'
import { describeOrigin } from '#/config/entry.ts'

type Entries = ReadonlyMap<string, Entry>

/** Conflicts between settings. Checked on the raw entries, so that the message can name the origin. */
export function contradictions(entries: Entries): readonly Problem[] {
  return [...aboutGitHub(entries), ...aboutTls(entries), ...aboutDispatch(entries)]
}

function aboutGitHub(entries: Entries): readonly Problem[] {
  const token = entries.get('github.token')
  const id = entries.get('github.app.id')
  const key = entries.get('github.app.privateKey')
  return [
    ...unless(id === undefined, token, 'github.token cannot be combined with github.app: set one of them'),
    ...unless(key !== undefined, id, 'github.app.id requires github.app.privateKey or github.app.privateKeyFile'),
    ...unless(id !== undefined, key, 'github.app.privateKey requires github.app.id'),
  ]
}

function aboutTls(entries: Entries): readonly Problem[] {
  const cert = entries.get('tls.certFile')
  const key = entries.get('tls.keyFile')
  const names = entries.get('tls.names')
  const hasAuthority = names !== undefined || entries.has('tls.caFile')
  return [
    ...unless(key !== undefined, cert, 'tls.certFile requires tls.keyFile'),
    ...unless(cert !== undefined, key, 'tls.keyFile requires tls.certFile'),
    ...unless(cert === undefined, names, 'tls.names cannot be combined with tls.certFile: set one of them'),
    ...unless(hasAuthority, entries.get('tls.caConfigMap'), 'tls.caConfigMap requires tls.names or tls.caFile'),
  ]
}

function aboutDispatch(entries: Entries): readonly Problem[] {
  const enabled = entries.get('dispatch.enabled')
  const isOn = enabled?.value === true || enabled?.value === 'true'
  const hasCredential = entries.has('github.token') || entries.has('github.app.id')
  if (!isOn) return []
  return [
    ...unless(entries.has('dispatch.url'), enabled, 'dispatch.enabled requires dispatch.url'),
    ...unless(hasCredential, enabled, 'dispatch.enabled requires github.app or github.token'),
  ]
}

/** A setting that is there although the condition does not hold. */
function unless(holds: boolean, entry: Entry | undefined, message: string): readonly Problem[] {
  return holds || entry === undefined ? [] : [{ where: describeOrigin(entry.origin), message, meant: [] }]
}
