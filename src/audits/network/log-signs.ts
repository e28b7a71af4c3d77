import { printTime } from '#/core/basics/print-time.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'
import { isIn } from './sign.ts'

/** What ARC and the runner log when the API server or DNS does not answer. */
export const NETWORK_MENTIONS: readonly string[] = [
  'connection refused',
  'i/o timeout',
  'no route to host',
  'TLS handshake timeout',
  'client connection lost',
  'unable to handle the request',
  'etcdserver:',
  'leader election lost',
  'failed to renew lease',
  'no such host',
  'server misbehaving',
  'Temporary failure in name resolution',
  'Name or service not known',
  'EAI_AGAIN',
]

const FAILED =
  /connection refused|i\/o timeout|no route to host|TLS handshake timeout|client connection lost|unable to handle the request/
/** Addresses of the API server. GitHub's service has `/_apis/` in its URLs. */
const API_SERVER = /:6443\b|kubernetes\.default|\/api\/v1\/|\/apis\/|kube-?apiserver|API server/i
const API_ALONE =
  /etcdserver: (?:request timed out|leader changed|no leader)|leader election lost|failed to renew lease/
/** As a host: ARC's own objects are under `/apis/actions.github.com/`. */
const GITHUB = /\/\/[\w.-]{0,200}(?:github(?:usercontent)?\.com|ghcr\.io)/

const DNS_ALONE = /server misbehaving|Temporary failure in name resolution|EAI_AGAIN/
const DNS_PORT = /:53\b/
/** Names that exist: for any other name "no such host" may be correct. */
const KNOWN_NAMES = /(?:lookup |\()[\w.-]{0,200}(?:github(?:usercontent)?\.com|ghcr\.io|kubernetes\.default|\.svc\b)/
const NOT_FOUND = /no such host|Name or service not known/

export function isDnsLine(text: string): boolean {
  return (
    DNS_ALONE.test(text) ||
    (DNS_PORT.test(text) && FAILED.test(text)) ||
    (NOT_FOUND.test(text) && KNOWN_NAMES.test(text))
  )
}

export function isApiServerLine(text: string): boolean {
  if (isDnsLine(text)) return false
  return API_ALONE.test(text) || (FAILED.test(text) && API_SERVER.test(text) && !GITHUB.test(text))
}

/** Matching lines within the window, from any log: API server and DNS serve the whole cluster. */
export function logSigns({ fleet, window }: NetworkView, isMeant: (text: string) => boolean): readonly Sign[] {
  const { logs } = fleet.snapshot
  if (logs.kind !== 'seen') return []
  return logs.value.flatMap(({ namespace, pod, container, lines }) =>
    lines.flatMap(({ at, text }) =>
      isIn(at, window) && isMeant(text)
        ? [{ at, text: `${printTime(at)} logs/${namespace}/${pod}/${container}: ${text.slice(0, 300)}` }]
        : [],
    ),
  )
}
