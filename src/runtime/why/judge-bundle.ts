import { clueFinder, listLiterals } from '#/core/evidence/find-clues.ts'
import type { Signature } from '#/core/evidence/signature.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import { mergeTimeline, recordTimeline } from '#/core/evidence/timeline.ts'
import type { TimelineEntry } from '#/core/evidence/timeline.ts'
import type { Cause } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'
import { buildTimeline } from '#/core/why/timeline.ts'
import { judge } from '#/core/why/verdict.ts'
import type { Judgement } from '#/core/why/verdict.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { JOURNAL_STREAMS } from '#/ports/journal.ts'
import { listJobPods, readJobPod } from './job-pods.ts'
import { readCommon } from './read-lists.ts'
import type { Common } from './read-lists.ts'
import { readEvidence } from './read-evidence.ts'
import type { Rules } from './read-evidence.ts'
import { listSubjects } from './subjects.ts'

export type JudgedSubject = Judgement & {
  readonly subject: Subject & { readonly container: string | null }
  readonly timeline: readonly TimelineEntry[]
  readonly evidence: Evidence
}

export type BundleJudgement =
  | { readonly kind: 'found'; readonly results: readonly JudgedSubject[] }
  | { readonly kind: 'no-subject'; readonly known: readonly string[] }

const SHOWN_SUBJECTS = 5

export function buildRules(signatures: readonly Signature[]): Rules {
  return { find: clueFinder(signatures), literals: listLiterals(signatures, JOURNAL_STREAMS) }
}

/** Reads the evidence and judges it: for the named subject, or for every runner in the bundle that ended. */
export async function judgeBundle(
  bundle: Bundle,
  argument: string | null,
  { rules, causes }: { readonly rules: Rules; readonly causes: readonly Cause[] },
): Promise<BundleJudgement> {
  const common = await readCommon(bundle)
  const subjects = listSubjects(argument, common)
  if (subjects.length === 0) {
    return {
      kind: 'no-subject',
      known: common.pods.slice(0, SHOWN_SUBJECTS).map(({ namespace, name }) => `${namespace}/${name}`),
    }
  }
  const results: JudgedSubject[] = []
  // One at a time: each may hold a journal in memory.
  for (const subject of subjects) {
    const evidence = await readEvidence(common, subject, rules)
    const dossier = openDossier(evidence)
    const own = { ...judge(dossier, causes), container: dossier.ending.container }
    const { container, ...judgement } = (await judgeJobPods(own, evidence, { common, rules, causes })) ?? own
    results.push({
      ...judgement,
      subject: { ...evidence.subject, container },
      timeline: mergeTimeline([buildTimeline(evidence), recordedTimeline(evidence)]),
      evidence,
    })
  }
  return { kind: 'found', results }
}

type OfContainer = Judgement & { readonly container: string | null }

/** If the runner lived on and its job failed, the pod in which the job ran may have died. */
async function judgeJobPods(
  { verdict }: Judgement,
  evidence: Evidence,
  { common, rules, causes }: { readonly common: Common; readonly rules: Rules; readonly causes: readonly Cause[] },
): Promise<OfContainer | null> {
  if (!LIVED_ON.has(verdict.cause) || evidence.job?.conclusion === 'success') return null
  for (const name of listJobPods(evidence, common)) {
    const other = await readJobPod(evidence, name, { common, rules })
    if (other === null) continue
    const dossier = openDossier(other)
    const judged = judge(dossier, causes)
    if (judged.verdict.kind === 'death' || judged.verdict.kind === 'never-started')
      return { ...judged, container: dossier.ending.container }
  }
  return null
}

/** Verdicts on a runner that leave open why its job failed. */
const LIVED_ON: ReadonlySet<string> = new Set(['unknown', 'job-failed', 'oom-step'])

/** Left out if GitHub has the job: its own timeline is better. */
function recordedTimeline(evidence: Evidence): readonly TimelineEntry[] {
  const recorded = evidence.ephemeralRunner?.job ?? null
  return evidence.job !== null || recorded === null ? [] : recordTimeline(recorded, findStart(evidence))
}

function findStart({ pod, log }: Evidence): number | null {
  const first = log?.firstAt ?? null
  if (pod === null) return first
  const runner = knownRunnerContainer(pod)
  const states = runner === null ? [] : [runner.last, runner.state]
  const starts = states.map((state) => ('startedAt' in state ? state.startedAt : null))
  return [...starts, pod.startedAt, pod.createdAt, first].find((at) => at !== null) ?? null
}
