import { describeJob } from '#/core/github/recorded-job.ts'
import type { Dossier } from '#/core/why/dossier.ts'

/** "the runner container of pod ns/name" */
export function theContainer({ ending, subject }: Dossier): string {
  const name = ending.container ?? 'runner'
  return subject.pod === null ? `the ${name} container` : `the ${name} container of pod ${thePodName(subject)}`
}

export function thePod({ subject }: Dossier): string {
  if (subject.pod !== null) return `pod ${thePodName(subject)}`
  return subject.runner === null ? 'the runner' : `runner ${subject.runner}`
}

function thePodName({ namespace, pod }: Dossier['subject']): string {
  return namespace === null ? `${pod}` : `${namespace}/${pod}`
}

/** " while job 7 was running", or nothing if no job is known. */
export function whileWorking({ subject, working, ephemeralRunner }: Dossier): string {
  if (subject.jobId !== null) return ` while job ${subject.jobId} was running`
  const recorded = ephemeralRunner?.job ?? null
  if (recorded !== null) return ` while it ran ${describeJob(recorded)}`
  return working.had.length > 0 ? ' while it ran a job' : ''
}

export function theNode({ subject }: Dossier): string {
  return subject.node === null ? 'the node' : `node ${subject.node}`
}

export function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function theJob({ subject }: Dossier): string {
  return subject.jobId === null ? 'the job' : `job ${subject.jobId}`
}

/** The value of this field in the first fact of this name that has it. */
export function clueField(d: Dossier, name: string, key: string): string | null {
  return (
    [...d.subjectClues(name), ...d.nodeClues(name)].find(({ fields }) => fields[key] !== undefined)?.fields[key] ?? null
  )
}

/** " (8Gi)", if the limit of the container is known. */
export function memoryLimit({ pod, ending }: Dossier): string {
  const limit = pod?.containers.find(({ name }) => name === (ending.container ?? 'runner'))?.memoryLimit ?? null
  return limit === null ? '' : ` (${limit})`
}
/** Every cause that lacks an actor gives the same advice, so that a list of advice has it once. */
export const AUDIT_ADVICE =
  'The audit log names who did it: enable it for deletes and evictions of pods, or connect it if it is on (docs/evidence.md, docs/install.md).'
