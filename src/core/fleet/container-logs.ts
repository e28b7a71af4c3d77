import type { Fleet } from './fleet.ts'
import type { ExcerptLine, LogExcerpt } from './snapshot.ts'

/** The logs of one container: the current one first, then the previous run's. */
export type FindLogs = (namespace: string, pod: string, container: string) => readonly LogExcerpt[]

export function logsByContainer({ snapshot }: Fleet): FindLogs {
  const known = snapshot.logs.kind === 'seen' ? snapshot.logs.value : []
  const byName = Map.groupBy(known, ({ namespace, pod, container }) => `${namespace}/${pod}/${container}`)
  return (namespace, pod, container) =>
    (byName.get(`${namespace}/${pod}/${container}`) ?? []).toSorted((a, b) => Number(a.previous) - Number(b.previous))
}

/** A controller log line with the object that it names. */
export type ArcLine = ExcerptLine & { readonly kind: string; readonly namespace: string; readonly name: string }

const KINDS = 'autoscalingrunnerset|autoscalinglistener|ephemeralrunnerset|ephemeralrunner'
/** `"ephemeralrunner": {"name":"a","namespace":"b"}`; before 0.9 `"ephemeralrunner": "b/a"`. */
const ABOUT = new RegExp(
  String.raw`"(?<kind>${KINDS})": ?(?:\{"name": ?"(?<name>[^"]{1,253})", ?"namespace": ?"(?<namespace>[^"]{1,63})"|"(?<path>[^"]{1,320})")`,
  'i',
)

/** The controller's log lines that name an ARC object. */
export function controllerLines({ snapshot }: Fleet): readonly ArcLine[] {
  if (snapshot.logs.kind !== 'seen') return []
  return snapshot.logs.value
    .filter(({ container }) => container === 'manager')
    .flatMap(({ lines }) => lines.flatMap(parseArcLine))
}

export function parseArcLine(line: ExcerptLine): readonly ArcLine[] {
  const groups = ABOUT.exec(line.text)?.groups
  if (groups === undefined) return []
  const [inside = '', called = ''] = (groups['path'] ?? '').split('/')
  const namespace = groups['namespace'] ?? inside
  const name = groups['name'] ?? called
  return name === '' ? [] : [{ ...line, kind: (groups['kind'] ?? '').toLowerCase(), namespace, name }]
}

const LONGEST_QUOTE = 4_000

/** Whole, unless it is huge: the output shortens it after redaction, which needs the words before a secret. */
export function quote(text: string): string {
  const clean = text.trim()
  if (clean.length <= LONGEST_QUOTE) return clean
  // Cut before a word, never inside: the redaction rules would not recognise half a token.
  return `${clean.slice(0, LONGEST_QUOTE).replace(/[\w+/=.-]{1,300}$/, '')}…`
}
