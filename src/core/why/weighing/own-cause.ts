import type { Stream } from '#/core/evidence/signature.ts'
import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause, Point } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { hasSucceeded } from './shared-facts.ts'
import { fillIn } from './own-wording.ts'

/** A cause from a file of own rules: only clues support or contradict it. */
export type CauseRule = Pick<Cause, 'id' | 'kind' | 'meaning' | 'settledBy'> & {
  readonly for: readonly (ClueRef & { readonly weight: number })[]
  readonly against: readonly ClueRef[]
  /** May have placeholders in braces. */
  readonly sentence: string
  readonly next: readonly string[]
}

type ClueRef = { readonly clue: string; readonly about: Fact['about'] }

/** Weighed like a built-in cause. What holds for every cause of its kind is added: a job that succeeded had no death. */
export function ownCause(rule: CauseRule, listStreams: (clue: string) => readonly Stream[]): Cause {
  return {
    id: rule.id,
    kind: rule.kind,
    meaning: rule.meaning,
    distinguishedBy: rule.meaning,
    settledBy: rule.settledBy,
    weigh: (d) => [
      ...rule.for.flatMap((ref) => supports(ref.weight, findFacts(ref, d))),
      ...rule.against.flatMap((ref) => contradicts(findFacts(ref, d))),
      ...rule.against.flatMap(({ clue }) => unseen(clue, listStreams(clue), d)),
      ...listBounds(rule.kind, d),
    ],
    sentence: (d) => fillIn(rule.sentence, d),
    next: (d) => rule.next.map((line) => fillIn(line, d)),
  }
}

function findFacts({ clue, about }: ClueRef, d: Dossier): readonly Fact[] {
  return about === 'node' ? d.nodeClues(clue) : d.subjectClues(clue)
}

const SOURCES: Readonly<Record<Stream, string>> = {
  'runner-log': 'logs',
  'job-log': 'github/logs',
  'controller-log': 'logs',
  annotation: 'github/annotations',
  event: 'kubernetes/events',
  kernel: 'journal',
  'guest-kernel': 'journal',
  kubelet: 'journal',
  containerd: 'journal',
  systemd: 'journal',
  vmm: 'journal',
  cloud: 'journal',
}

/** The absence of a contradiction counts only if a source that would show it covers the time. */
function unseen(clue: string, streams: readonly Stream[], d: Dossier): readonly Point[] {
  const sources = [...new Set(streams.map((stream) => SOURCES[stream]))]
  const isBlind = !sources.some((source) => d.wasLooking(source))
  return limitedWhile(isBlind, `no source shows whether there was a clue ${clue}`, { missing: sources })
}

function listBounds(kind: Cause['kind'], d: Dossier): readonly Point[] {
  switch (kind) {
    case 'death':
      return [...contradicts(hasSucceeded(d)), ...limitedWhile(d.isAlive, 'the runner is still running', { at: 0 })]
    case 'never-started':
      return contradicts(d.working.had)
    case 'not-a-death':
      return []
  }
}
