import type { DeathDocument } from '#/core/recorder/death.ts'
import { textAt } from '#/core/basics/fields.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import { redactText } from '#/core/redaction/redaction.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { knownRunnerContainer, terminatedState } from '#/core/kubernetes/runner-container.ts'
import { blindSources } from '#/core/why/source-state.ts'
import type { Verdict } from '#/ports/store/deaths.ts'
import type { FoundJob } from '#/runtime/collect/github/github-jobs.ts'
import type { JudgedDeath } from '#/core/recorder/judged-death.ts'

const SIGNALS = 128

/** The fields of a death that have no column. The evidence was redacted before it was judged. */
export function buildDocument(
  { verdict, evidence }: Pick<JudgedDeath, 'verdict' | 'evidence'>,
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
      reason: describeReason(reason),
    })),
  }
}

function lastWords(pod: PodFacts | null): Pick<DeathDocument, 'exitCode' | 'signal' | 'reason' | 'message'> {
  if (pod === null) return { exitCode: null, signal: null, reason: null, message: null }
  const { reason, message } = pod
  const runner = knownRunnerContainer(pod)
  const ended = runner === null ? null : terminatedState(runner)
  if (ended === null) return { exitCode: null, signal: null, reason, message }
  return {
    exitCode: ended.exitCode,
    signal: ended.signal ?? signalIn(ended.exitCode),
    reason: ended.reason ?? reason,
    message: ended.message ?? message,
  }
}

/** The kubelet leaves the signal field empty: the number is in the exit code. 255 is not a signal. */
function signalIn(code: number | null): number | null {
  return code !== null && code > SIGNALS && code < 2 * SIGNALS - 1 ? code - SIGNALS : null
}

/** From GitHub, otherwise from ARC's record. */
export function reportedJob(
  job: FoundJob | null,
  recorded: RecordedJob | null,
): Pick<DeathDocument, 'workflow' | 'job'> {
  if (job === null) {
    return {
      workflow: workflowPath(recorded),
      job: recorded === null ? null : { name: safe(recorded.name), url: safe(recorded.url) },
    }
  }
  const { document, facts } = job
  return {
    workflow: safe(textAt(document, 'workflow_name')),
    job: { name: safe(facts.name), url: safe(textAt(document, 'html_url')) },
  }
}

/** OWNER/NAME/PATH@REF: people know the workflow by its path. */
function workflowPath(recorded: RecordedJob | null): string | null {
  const path = /^[^/@]+\/[^/@]+\/(?<path>[^@]+)(?:@|$)/.exec(recorded?.workflow ?? '')?.groups?.['path']
  return safe(path ?? null)
}

/** Names of jobs and workflows can contain the results of expressions, and so secrets. */
function safe(name: string | null): string | null {
  return name === null ? null : redactText(name, sha256)
}

export function buildVerdict(
  { verdict }: Pick<JudgedDeath, 'verdict'>,
  document: DeathDocument,
  { rules, now }: { readonly rules: string; readonly now: number },
): Verdict {
  const { cause, kind, confidence } = verdict
  return { cause, kind, confidence, rules, judgedAt: now, document }
}
