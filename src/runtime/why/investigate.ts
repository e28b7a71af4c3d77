import { clueFinder, literalsOf } from '#/core/evidence/find-clues.ts'
import type { Signature } from '#/core/evidence/signature.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import { mergeTimeline, recordTimeline } from '#/core/evidence/timeline.ts'
import type { TimelineEntry } from '#/core/evidence/timeline.ts'
import type { Cause } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'
import { tellStory } from '#/core/why/story.ts'
import { judge } from '#/core/why/verdict.ts'
import type { Judgement } from '#/core/why/verdict.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { JOURNAL_STREAMS } from '#/ports/journal.ts'
import { readCommon } from '#/runtime/why/read-lists.ts'
import { readEvidence } from '#/runtime/why/read-evidence.ts'
import type { Rules } from '#/runtime/why/read-evidence.ts'
import { subjectsOf } from '#/runtime/why/subjects.ts'

export type Investigation = Judgement & {
  readonly subject: Subject & { readonly container: string | null }
  readonly timeline: readonly TimelineEntry[]
  readonly evidence: Evidence
}

export type Findings =
  | { readonly kind: 'found'; readonly results: readonly Investigation[] }
  | { readonly kind: 'no-subject'; readonly known: readonly string[] }

const SHOWN_SUBJECTS = 5

export function rulesOf(signatures: readonly Signature[]): Rules {
  return { find: clueFinder(signatures), literals: literalsOf(signatures, JOURNAL_STREAMS) }
}

/** Reads the evidence and judges it: for the named subject, or for every runner in the bundle that ended. */
export async function investigate(
  bundle: Bundle,
  argument: string | null,
  { rules, causes }: { readonly rules: Rules; readonly causes: readonly Cause[] },
): Promise<Findings> {
  const common = await readCommon(bundle)
  const subjects = subjectsOf(argument, common)
  if (subjects.length === 0) {
    return {
      kind: 'no-subject',
      known: common.pods.slice(0, SHOWN_SUBJECTS).map(({ namespace, name }) => `${namespace}/${name}`),
    }
  }
  const results: Investigation[] = []
  // One at a time: each may hold a journal in memory.
  for (const subject of subjects) {
    const evidence = await readEvidence(common, subject, rules)
    const dossier = openDossier(evidence)
    results.push({
      ...judge(dossier, causes),
      subject: { ...evidence.subject, container: dossier.ending.container },
      timeline: mergeTimeline([tellStory(evidence), storyOfRecord(evidence)]),
      evidence,
    })
  }
  return { kind: 'found', results }
}

/** Left out if GitHub has the job: its own timeline is better. */
function storyOfRecord(evidence: Evidence): readonly TimelineEntry[] {
  const recorded = evidence.ephemeralRunner?.job ?? null
  return evidence.job !== null || recorded === null ? [] : recordTimeline(recorded, startOf(evidence))
}

function startOf({ pod, log }: Evidence): number | null {
  const first = log?.firstAt ?? null
  if (pod === null) return first
  const runner = knownRunnerContainer(pod)
  const states = runner === null ? [] : [runner.last, runner.state]
  const starts = states.map((state) => ('startedAt' in state ? state.startedAt : null))
  return [...starts, pod.startedAt, pod.createdAt, first].find((at) => at !== null) ?? null
}
