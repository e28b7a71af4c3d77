import { aboutLine } from '#/core/evidence/about-subject.ts'
import type { ClueFinder } from '#/core/evidence/find-clues.ts'
import { readGuestConsole } from '#/core/evidence/guest-console.ts'
import { toStream } from '#/core/evidence/log-line.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Clue } from '#/core/evidence/signature.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import type { BootExtent } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { learnIdentity, namedSpan } from '#/core/why/identity.ts'
import { clueFact } from '#/core/why/line-facts.ts'
import { ownFacts } from '#/core/why/oom-block.ts'
import type { AttributedFact } from '#/core/why/oom-block.ts'
import type { SourceState } from '#/core/why/source-state.ts'
import type { Bundle } from '#/ports/bundle.ts'
import type { JournalLine } from '#/ports/journal.ts'

export type JournalReading = {
  readonly clues: readonly Fact[]
  readonly boots: readonly BootExtent[]
  readonly subject: Subject
  readonly state: SourceState
}

/** The journal of the subject's node. If the node is not known, it is the one whose journal names the pod. */
export async function readJournal(
  bundle: Bundle,
  subject: Subject,
  { find, literals }: { readonly find: ClueFinder; readonly literals: readonly string[] },
): Promise<JournalReading> {
  const named = subject.pod === null ? [] : [subject.pod]
  const mentions = [...literals, ...named, ...subject.containerIds, ...(subject.uid === null ? [] : [subject.uid])]
  const nodes = subject.node === null ? candidates(bundle) : [subject.node]
  for (const node of nodes) {
    const observed = await bundle.journal(node, { mentions })
    if (observed.kind === 'blind' && nodes.length > 1) continue
    const isOurs = subject.node !== null || (observed.kind === 'seen' && namesPod(observed.value.lines, subject))
    if (isOurs) return readLines(observed, { ...subject, node }, { find, bundle })
  }
  const reason = subject.node === null ? 'the node of the pod is not known' : 'no journal was collected'
  return { clues: [], boots: [], subject, state: blind('not-asked', reason) }
}

function candidates(bundle: Bundle): readonly string[] {
  const journals = bundle.journals()
  return journals.kind === 'seen' ? journals.value : []
}

function namesPod(lines: readonly JournalLine[], { namespace, pod }: Subject): boolean {
  return pod !== null && lines.some(({ message }) => message?.includes(`${namespace ?? ''}/${pod}`) ?? false)
}

function readLines(
  observed: Awaited<ReturnType<Bundle['journal']>>,
  subject: Subject,
  { find, bundle }: { readonly find: ClueFinder; readonly bundle: Bundle },
): JournalReading {
  const lines = observed.kind === 'seen' ? observed.value.lines : []
  const learned = learnIdentity(
    lines.flatMap(({ message }) => message ?? []),
    subject,
  )
  const { containerNames, ...identity } = learned
  const known = { ...subject, ...identity }
  const source = `journal/${subject.node}`
  const span = namedSpan(
    lines.map(({ message }) => message),
    known,
  )
  return {
    clues: named(
      ownFacts(lines.flatMap((line, order) => findLineClues(line, { source, order, find, subject: known, span }))),
      containerNames,
    ),
    boots: observed.kind === 'seen' ? observed.value.digest.boots.filter(({ id }) => BOOT_ID.test(id)) : [],
    subject: known,
    state: journalState(observed, source, bundle),
  }
}

/** A garbled id would look like another boot. */
const BOOT_ID = /^[0-9a-f]{32}$/

/** Without a window in `meta.json`, the journal covers the time from its first to its last line. */
function journalState(observed: Awaited<ReturnType<Bundle['journal']>>, source: string, bundle: Bundle): SourceState {
  if (observed.kind === 'blind') return observed
  const said = bundle.coverage(source) ?? { from: null, to: null }
  // A node is never silent: an empty journal covers nothing, and neither does one with gaps.
  if (observed.kind === 'none' || observed.value.gaps.length > 0)
    return { kind: 'looked', from: Infinity, to: -Infinity }
  const { digest } = observed.value
  return { kind: 'looked', from: latest(said.from, digest.from), to: earliest(said.to, digest.to) }
}

/** A node logs every few seconds: far before the first or after the last line the journal was cut, whatever meta.json claims. */
const SILENCE_MS = 10_000

function latest(said: number | null, first: number | null): number | null {
  return first === null ? said : Math.max(said ?? -Infinity, first - (said === null ? 0 : SILENCE_MS))
}

function earliest(said: number | null, last: number | null): number | null {
  return last === null ? said : Math.min(said ?? Infinity, last + (said === null ? 0 : SILENCE_MS))
}

type Reading = {
  readonly source: string
  readonly order: number
  readonly find: ClueFinder
  readonly subject: Subject
  readonly span: ReturnType<typeof namedSpan>
}

function findLineClues(
  { at, message, transport, identifier }: JournalLine,
  { source, order, find, subject, span }: Reading,
): readonly AttributedFact[] {
  const stream = transport === 'kernel' ? 'kernel' : toStream(identifier)
  if (message === null || stream === null) return []
  const own = find({ text: message, stream }).map((clue) => {
    const about = isNamesakes(clue, order, span) ? 'another' : aboutLine(clue, message, subject)
    return clueFact(clue, { source, at, order, about, text: message })
  })
  const console = stream === 'vmm' || stream === 'containerd' ? readGuestConsole(message) : null
  if (console === null) return own
  // The shim's line says whose guest it is; the guest knows nothing of the host's pods.
  const about = aboutLine({ groups: {} }, message, subject)
  const inGuest = find({ text: console, stream: 'guest-kernel' })
  return [...own, ...inGuest.map((clue) => clueFact(clue, { source, at, order, about, text: console }))]
}

/** A line with only the pod name may be about an earlier or later pod of that name. */
function isNamesakes({ groups }: Clue, order: number, { from, to }: Reading['span']): boolean {
  return groups['pod'] !== undefined && groups['uid'] === undefined && (order < from || order > to)
}

/** The journal has container ids; people and the pod object use names. */
function named(facts: readonly Fact[], names: ReadonlyMap<string, string>): readonly Fact[] {
  return facts.map((fact) => {
    const id =
      fact.fields['container'] ?? /(?<id>[0-9a-f]{64})(?:\.scope)?$/.exec(fact.fields['cgroup'] ?? '')?.groups?.['id']
    const name = id === undefined ? undefined : names.get(id)
    return {
      ...fact,
      fields: {
        ...fact.fields,
        ...(id === undefined ? {} : { containerId: id }),
        ...(name === undefined ? {} : { name }),
      },
    }
  })
}
