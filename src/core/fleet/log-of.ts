import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ExcerptLine, LogExcerpt } from '#/core/fleet/snapshot.ts'

/** The kept logs of one container: the present one first, then that of its run before. */
export type LogOf = (namespace: string, pod: string, container: string) => readonly LogExcerpt[]

export function logsByContainer({ snapshot }: Fleet): LogOf {
  const known = snapshot.logs.kind === 'seen' ? snapshot.logs.value : []
  const byName = Map.groupBy(known, ({ namespace, pod, container }) => `${namespace}/${pod}/${container}`)
  return (namespace, pod, container) =>
    (byName.get(`${namespace}/${pod}/${container}`) ?? []).toSorted((a, b) => Number(a.previous) - Number(b.previous))
}

/** What a line of ARC's controller is about. */
export type ArcLine = ExcerptLine & { readonly kind: string; readonly namespace: string; readonly name: string }

const KINDS = 'autoscalingrunnerset|autoscalinglistener|ephemeralrunnerset|ephemeralrunner'
/** `"ephemeralrunner": {"name":"a","namespace":"b"}`; before 0.9 `"ephemeralrunner": "b/a"`. */
const ABOUT = new RegExp(
  String.raw`"(?<kind>${KINDS})": ?(?:\{"name": ?"(?<name>[^"]{1,253})", ?"namespace": ?"(?<namespace>[^"]{1,63})"|"(?<path>[^"]{1,320})")`,
  'i',
)

/** The lines of the controller that name one of ARC's objects. */
export function controllerLines({ snapshot }: Fleet): readonly ArcLine[] {
  if (snapshot.logs.kind !== 'seen') return []
  return snapshot.logs.value
    .filter(({ container }) => container === 'manager')
    .flatMap(({ lines }) => lines.flatMap(aboutArc))
}

export function aboutArc(line: ExcerptLine): readonly ArcLine[] {
  const groups = ABOUT.exec(line.text)?.groups
  if (groups === undefined) return []
  const [inside = '', called = ''] = (groups['path'] ?? '').split('/')
  const namespace = groups['namespace'] ?? inside
  const name = groups['name'] ?? called
  return name === '' ? [] : [{ ...line, kind: (groups['kind'] ?? '').toLowerCase(), namespace, name }]
}

const LONGEST_QUOTE = 300

/** What is longer than a page has the answer at its start. */
export function quote(text: string): string {
  const clean = text.trim()
  if (clean.length <= LONGEST_QUOTE) return clean
  // Cut before the word that would be halved: half a token is one that no rule knows any more.
  return `${clean.slice(0, LONGEST_QUOTE).replace(/[\w+/=.-]{1,300}$/, '')}…`
}
