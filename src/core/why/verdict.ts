import { AUDIT_ADVICE, theContainer, upper } from '#/core/why/wording.ts'
import { NAMED_ABOVE, computeConfidence } from '#/core/why/cause.ts'
import type { Cause, CauseKind, Point } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { byTime, sourceGroup } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { findRunner, isRunnerSurely } from '#/core/kubernetes/runner-container.ts'

export type Verdict = {
  /** An id of docs/contracts/causes.md, or `unknown`. */
  readonly cause: string
  readonly kind: CauseKind
  readonly confidence: number
  readonly actor: string | null
  readonly sentence: string
  readonly because: readonly Fact[]
  readonly doubts: readonly Fact[]
  readonly missing: readonly string[]
  readonly next: readonly string[]
}

export type Judgement = {
  readonly verdict: Verdict
  readonly alternatives: readonly { readonly cause: string; readonly confidence: number }[]
}

type Weighed = {
  readonly cause: Cause
  readonly points: readonly Point[]
  readonly certain: number
  readonly confidence: number
}

/** Sources that can explain a death. When no cause can be named, the blind ones are listed. */
export const QUESTIONED_SOURCES = [
  'kubernetes/pods',
  'kubernetes/events',
  'kubernetes/audit',
  'kubernetes/nodes',
  'logs',
  'journal',
  'cgroup',
  'github/jobs',
  'github/annotations',
  'github/logs',
] as const

const SHOWN_ABOVE = 0.1

export function judge(dossier: Dossier, causes: readonly Cause[]): Judgement {
  const guessCeiling = computeGuessCeiling(dossier)
  const weighed = causes
    .map((cause): Weighed => {
      const points = cause.weigh(dossier)
      const certain = computeConfidence(points, cause, sourceGroup)
      const confidence = round(certain > NAMED_ABOVE ? certain : Math.min(certain, guessCeiling))
      return { cause, points, certain, confidence }
    })
    .toSorted((a, b) => b.confidence - a.confidence || b.certain - a.certain)
  const [best] = weighed
  const isNamed = best !== undefined && best.confidence > NAMED_ABOVE
  const others = weighed.filter((one) => !(isNamed && one === best) && one.confidence >= SHOWN_ABOVE)
  return {
    verdict: isNamed ? named(best, dossier) : unknown(best, dossier),
    alternatives: others.map(({ cause, confidence }) => ({ cause: cause.id, confidence })),
  }
}

/** Every blind source beyond the first lowers a guess: it might have refuted it. */
function computeGuessCeiling(dossier: Dossier): number {
  const blind = blindAmong(QUESTIONED_SOURCES, dossier).length
  return NAMED_ABOVE - LOST_BY_BLIND * Math.max(0, blind - 1)
}

const LOST_BY_BLIND = 0.05

function round(confidence: number): number {
  return Math.round(confidence * 1000) / 1000
}

function named({ cause, points, confidence }: Weighed, dossier: Dossier): Verdict {
  const limits = points.flatMap((point) => (point.kind === 'limit' ? point.missing : []))
  return {
    cause: cause.id,
    kind: cause.kind,
    confidence,
    actor: cause.actor?.(dossier) ?? null,
    sentence: cause.sentence(dossier),
    because: because(points),
    doubts: points
      .flatMap((point) => (point.kind === 'doubt' ? [point.fact] : []))
      .slice(0, SHOWN)
      .toSorted(byTime),
    missing: blindAmong([...limits, ...cause.settledBy], dossier),
    next: cause.next(dossier),
  }
}

function unknown(best: Weighed | undefined, dossier: Dossier): Verdict {
  const guess = best === undefined || best.confidence < SHOWN_ABOVE ? null : best
  const missing = blindAmong(QUESTIONED_SOURCES, dossier)
  return {
    cause: 'unknown',
    kind: 'unknown',
    confidence: best?.confidence ?? 0,
    actor: null,
    sentence: describeUnknown(guess, dossier),
    because: guess === null ? [] : because(guess.points),
    doubts: [],
    missing,
    next:
      dossier.isAlive || isBeingEnded(dossier)
        ? [ASK_AGAIN]
        : [...new Set([...adviseOwnEnd(dossier), ...adviseUnknown(missing, adviseOnGuess(guess, dossier))])],
  }
}

const ASK_AGAIN = 'Run this again after it has ended; signalbox serve records the end as it happens (docs/deaths.md).'
const LOOK_YOURSELF =
  'Every source was read and none names a cause: read the timeline (signalbox timeline), and write a signature for what you find (docs/own-rules.md).'

/** Nothing is known to have stopped it, so its own log helps more than other sources. */
function adviseOwnEnd({ ending: { code }, stopping, removals, wasRead }: Dossier): readonly string[] {
  const isOwn = code !== null && code !== 0 && stopping.stops.length === 0 && removals.every((one) => one.isAfterEnd)
  if (!isOwn || !wasRead('logs')) return []
  // A signal comes from another process, and nobody saw from which.
  const end = code > ABOVE_SIGNALS ? `a signal ended it (exit code ${code})` : `it exited by itself with code ${code}`
  return [`Read the last lines of its log: ${end}.`]
}

const ABOVE_SIGNALS = 128

/** The advice of a cause that is only a guess depends on the guess, and says so. */
function adviseOnGuess(guess: Weighed | null, dossier: Dossier): readonly string[] {
  if (guess === null) return []
  return guess.cause
    .next(dossier)
    .map((line) => (line === AUDIT_ADVICE ? line : `If it was ${guess.cause.id}: ${line}`))
}

function adviseUnknown(missing: readonly string[], guessAdvice: readonly string[]): readonly string[] {
  const advice = [...missing.map((source) => adviceFor(source)), ...guessAdvice]
  return advice.length === 0 ? [LOOK_YOURSELF] : advice
}

function describeUnknown(guess: Weighed | null, dossier: Dossier): string {
  if (dossier.isAlive) return 'The runner is still running.'
  const removal = describeRemoval(dossier)
  if (isBeingEnded(dossier)) return `The runner is being stopped and still runs${removal}.`
  if (guess === null) return `${describeEnd(dossier)}${removal}.`
  const limit = guess.points.find((point) => point.kind === 'limit')
  const why = limit === undefined || limit.kind !== 'limit' ? 'too little evidence supports it' : limit.why
  return `${describeEnd(dossier)}${removal}; the best guess is ${guess.cause.id}, but ${why}.`
}

/** The evidence was collected before its deletion was due. */
function isBeingEnded({ pod, now, ending }: Dossier): boolean {
  if (pod === null || pod.lastSeenAt !== null || pod.deletedAt === null || ending.facts.length > 0) return false
  return isRunnerSurely(pod, 'running') && now !== null && now < pod.deletedAt
}

function describeEnd(dossier: Dossier): string {
  const { code } = dossier.ending
  const choice = findRunner(dossier.pod?.containers ?? [])
  if (code === null && choice.kind === 'ambiguous') {
    const names = choice.candidates.map(({ name }) => name).join(', ')
    return `Which container is the runner's is not known (${names}), and the evidence names no cause`
  }
  return code === null
    ? 'The evidence names no cause'
    : `${upper(theContainer(dossier))} ended with exit code ${code}, and the evidence names no cause`
}

/** Names who requested the end of a live pod, even if the effect on the runner is not known. */
function describeRemoval({ removals }: Dossier): string {
  const by = removals.find((one) => one.by !== null && !one.isAfterEnd)?.by ?? null
  return by === null ? '' : `, though ${by} requested the end of the pod`
}

function because(points: readonly Point[]): readonly Fact[] {
  const heavy = points.flatMap((point) => (point.kind === 'for' ? [point] : [])).toSorted((a, b) => b.weight - a.weight)
  const unique = new Map(heavy.map(({ fact }) => [`${fact.source} ${fact.text}`, fact]))
  return [...unique.values()].slice(0, SHOWN).toSorted(byTime)
}

const SHOWN = 12

function blindAmong(sources: readonly string[], { sources: states }: Dossier): readonly string[] {
  return [...new Set(sources)].filter((source) => states.get(source)?.kind !== 'looked')
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    'kubernetes/pods',
    'Read the pod while it exists (kubectl get pod NAME -o json), or keep its last object with a watch.',
  ],
  ['kubernetes/events', 'Read the events within the hour (kubectl get events -A -o json).'],
  ['kubernetes/audit', AUDIT_ADVICE],
  ['kubernetes/nodes', 'Read the node (kubectl get nodes -o json).'],
  ['logs', 'Keep the runner log: run kubectl logs --timestamps while the pod exists, or ship it.'],
  ['journal', 'Read the journal of the node around the death (journalctl --since --until -o json).'],
  [
    'cgroup',
    'Run vitals.sh in the runner (docs/evidence.md, "Vitals", says where to get it): cgroup files are gone within a second of the end.',
  ],
  ['github/jobs', 'Connect GitHub: the job shows whether it ended, and how.'],
  ['github/annotations', "Read the annotations of the job's check run."],
  ['github/logs', 'Read the job log at GitHub, if it has one.'],
])

function adviceFor(source: string): string {
  return ADVICE.get(source) ?? `Make ${source} readable.`
}
