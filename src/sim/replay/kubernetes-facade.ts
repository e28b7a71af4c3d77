import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { absent, badRequest, refuse, text } from './kubernetes-answers.ts'
import { answerLog } from './log-answer.ts'
import type { LogSource } from './log-answer.ts'
import { selection } from './selectors.ts'
import { answerWatch } from './watch-answer.ts'

type Kind = { readonly apiVersion: string; readonly kind: string; readonly namespaced: boolean }

/** What the facade serves; whatever else is asked for it does not know. */
const SERVED: Readonly<Record<string, Kind>> = {
  'api/v1/pods': { apiVersion: 'v1', kind: 'Pod', namespaced: true },
  'api/v1/events': { apiVersion: 'v1', kind: 'Event', namespaced: true },
  'api/v1/nodes': { apiVersion: 'v1', kind: 'Node', namespaced: false },
  'apis/actions.github.com/v1alpha1/ephemeralrunners': {
    apiVersion: 'actions.github.com/v1alpha1',
    kind: 'EphemeralRunner',
    namespaced: true,
  },
}

const LONGEST_WATCH_SECONDS = 3600
const DEFAULT_WATCH_SECONDS = 1800

/** As much of an API server as a reader of runner pods asks for: lists, single objects, watches and logs. It changes nothing. */
export function kubernetesFacade(source: LogSource): FetchHandler {
  return async (request) => {
    const url = new URL(request.url)
    if (request.method !== 'GET') {
      return refuse({ code: 405, reason: 'MethodNotAllowed', message: 'a replay is only looked at' })
    }
    if (/^\/(?:livez|readyz|healthz)$/.test(url.pathname)) return text(200, 'ok')
    const asked = decodedPath(url.pathname)
    if (asked === null) return text(404, '404 page not found\n')
    const { kind, plural, namespace, name } = asked
    if (name !== null && asked.isLog) {
      return answerLog(source, { namespace: namespace ?? '', pod: name, query: url.searchParams }, request.signal)
    }
    if (name !== null) {
      const object = source.store.get(plural, { namespace, name })
      return object === null ? absent(plural, name) : Response.json({ ...typeMeta(kind), ...object })
    }
    return answerMany(source, { asked, query: url.searchParams }, request.signal)
  }
}

function answerMany(
  { store, clock }: LogSource,
  { asked, query }: { readonly asked: Asked; readonly query: URLSearchParams },
  signal: AbortSignal,
): Response {
  const { kind, plural, namespace } = asked
  const isChosen = selection(query)
  if (isChosen === null) return badRequest('unable to parse the selector')
  if (query.get('watch') === 'true' || query.get('watch') === '1') {
    const seconds = Number(query.get('timeoutSeconds')) || DEFAULT_WATCH_SECONDS
    const question = {
      resource: plural,
      kind: typeMeta(kind),
      namespace,
      isChosen,
      from: Number(query.get('resourceVersion')) || store.version(),
      wantsBookmarks: query.get('allowWatchBookmarks') === 'true',
      seconds: Math.min(seconds, LONGEST_WATCH_SECONDS),
    }
    return answerWatch({ store, clock }, question, signal)
  }
  const items = store.list(plural, namespace).filter(isChosen)
  const metadata = { resourceVersion: String(store.version()) }
  return Response.json({ apiVersion: kind.apiVersion, kind: `${kind.kind}List`, metadata, items })
}

function typeMeta({ apiVersion, kind }: Kind): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion, kind }
}

type Asked = {
  readonly kind: Kind
  readonly plural: string
  readonly namespace: string | null
  readonly name: string | null
  readonly isLog: boolean
}

const PATH = /^\/(api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+?))?(\/log)?$/

/** A fault in the handler would end the replay with it. */
function decodedPath(path: string): Asked | null {
  try {
    return readPath(path)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function readPath(path: string): Asked | null {
  const [, prefix = '', namespace, plural = '', name, log] = PATH.exec(path) ?? []
  const kind = SERVED[`${prefix}/${plural}`]
  const isLog = log !== undefined
  if (kind === undefined || (isLog && plural !== 'pods')) return null
  if (namespace !== undefined && !kind.namespaced) return null
  const decoded = (part: string | undefined): string | null => (part === undefined ? null : decodeURIComponent(part))
  return { kind, plural, namespace: decoded(namespace), name: decoded(name), isLog }
}
