import type { Evidence } from '#/core/why/evidence.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { resolveSubject } from '#/core/evidence/subject.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import { readEvidence } from '#/runtime/why/read-evidence.ts'
import type { Rules } from '#/runtime/why/read-evidence.ts'
import type { Common } from '#/runtime/why/read-lists.ts'

/** The label that actions/runner-container-hooks puts on the pods of a job. */
const RUNNER_LABEL = 'runner-pod'

/** In ARC's Kubernetes mode the steps of a job run in pods of their own, which can die while the runner lives on. */
export function listJobPods({ subject }: Evidence, { pods, traces }: Common): readonly string[] {
  const { namespace, pod } = subject
  if (pod === null) return []
  const isOwn = ({ name, labels }: Pick<PodFacts, 'name' | 'labels'>): boolean =>
    labels[RUNNER_LABEL] === pod || name === `${pod}-workflow` || name.startsWith(`${pod}-step-`)
  const inside = <T extends { readonly namespace: string }>(rows: readonly T[]) =>
    rows.filter((row) => namespace === null || row.namespace === namespace)
  const names = [
    ...inside(pods).filter(isOwn),
    ...inside(traces).filter(({ name }) => isOwn({ name, labels: {} })),
  ].map(({ name }) => name)
  return [...new Set(names)]
}

const AT_WORK: ReadonlySet<string> = new Set(['job-running', 'job-received'])

/** What the bundle has about one of them, as the place where the job ran: the runner's own end is another matter. */
export async function readJobPod(
  runner: Evidence,
  name: string,
  { common, rules }: { readonly common: Common; readonly rules: Rules },
): Promise<Evidence | null> {
  const { namespace, jobId, runId, isJobAsked } = runner.subject
  const found = resolveSubject({ namespace, name, jobId: null, uid: null }, common)
  if (found === null) return null
  const subject: Subject = { ...found, runner: runner.subject.runner, jobId, runId, isJobAsked }
  const evidence = await readEvidence(common, subject, rules)
  const logs = runner.sources.get('logs')
  return {
    ...evidence,
    job: runner.job,
    ephemeralRunner: runner.ephemeralRunner,
    clues: [...evidence.clues, ...runner.clues.filter(({ is }) => AT_WORK.has(is))],
    sources: logs === undefined ? evidence.sources : new Map([...evidence.sources, ['logs', logs]]),
  }
}
