import type { DeathDocument } from '#/core/capture/death.ts'
import { textAt } from '#/core/fields.ts'
import { tellReason } from '#/core/observed.ts'
import type { PodFacts } from '#/core/pod-facts.ts'
import { runnerContainer, terminatedState } from '#/core/why/runner-container.ts'
import { blindSources } from '#/core/why/source-state.ts'
import type { Verdict } from '#/ports/store.ts'
import type { FoundJob } from '#/runtime/collect/github-jobs.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'

const SIGNALS = 128

/** What is told of a death beside the columns. The evidence was redacted before it was judged. */
export function documentOf(
  { verdict, evidence }: Investigation,
  job: Pick<DeathDocument, 'workflow' | 'job'>,
): DeathDocument {
  return {
    ...job,
    actor: verdict.actor,
    sentence: verdict.sentence,
    next: verdict.next,
    ...lastWords(evidence.pod),
    blind: blindSources(evidence.sources).map(({ source, reason }) => ({
      source,
      reason: tellReason(reason),
    })),
  }
}

function lastWords(pod: PodFacts | null): Pick<DeathDocument, 'exitCode' | 'signal' | 'reason' | 'message'> {
  if (pod === null) return { exitCode: null, signal: null, reason: null, message: null }
  const { reason, message } = pod
  const runner = runnerContainer(pod)
  const ended = runner === null ? null : terminatedState(runner)
  if (ended === null) return { exitCode: null, signal: null, reason, message }
  return {
    exitCode: ended.exitCode,
    signal: ended.signal ?? signalIn(ended.exitCode),
    reason: ended.reason ?? reason,
    message: ended.message ?? message,
  }
}

/** Nobody fills the field of the signal: the number is in the exit code. 255 is none. */
function signalIn(code: number | null): number | null {
  return code !== null && code > SIGNALS && code < 2 * SIGNALS - 1 ? code - SIGNALS : null
}

export function toldJob(job: FoundJob | null): Pick<DeathDocument, 'workflow' | 'job'> {
  if (job === null) return { workflow: null, job: null }
  const { document, facts } = job
  return { workflow: textAt(document, 'workflow_name'), job: { name: facts.name, url: textAt(document, 'html_url') } }
}

export function verdictOf(
  { verdict }: Pick<Investigation, 'verdict'>,
  document: DeathDocument,
  { rules, now }: { readonly rules: string; readonly now: number },
): Verdict {
  const { cause, kind, confidence } = verdict
  return { cause, kind, confidence, rules, judgedAt: now, document }
}
