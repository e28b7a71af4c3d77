import type { Evidence } from '#/core/why/evidence.ts'
import { byTime, fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { describeJob } from '#/core/github/recorded-job.ts'
import type { StepFacts, WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'

/** What the runner was doing, according to its log and to GitHub. */
export type Working = {
  /** It had a job. */
  readonly had: readonly Fact[]
  /** It had none, and a source that would show one covers the time. */
  readonly idle: Fact | null
  /** The last job result in the runner log. */
  readonly result: Fact | null
  /** It exited like a runner that has finished its job. */
  readonly left: readonly Fact[]
  readonly github: GitHubView
}

export type GitHubView = {
  /** Status `completed`, with a conclusion. */
  readonly completed: Fact | null
  readonly conclusion: string | null
  /** GitHub gave up on the runner, or shows a step that never ended. */
  readonly lost: readonly Fact[]
  /** Still in progress at GitHub when the evidence was collected. */
  readonly inProgress: Fact | null
  readonly failedStep: Fact | null
  /** Every step was reported but the one that completes the job: the work was done, and its end was not reported. */
  readonly allSteps: Fact | null
}

export function readWorking(evidence: Evidence): Working {
  const clues = evidence.clues.filter(({ about }) => about === 'subject').toSorted(byTime)
  const had = [...clues.filter(({ is }) => is === 'job-running' || is === 'job-received'), ...findRecordedJob(evidence)]
  return {
    had,
    idle: had.length > 0 ? null : idleFact(evidence, clues),
    result: clues.findLast(({ is, fields }) => is === 'job-result' && fields['result'] !== undefined) ?? null,
    left: clues.filter(
      ({ is, fields }) => is === 'one-time-runner-done' || (is === 'listener-exited' && isZero(fields)),
    ),
    github: readGitHubView(evidence, clues),
  }
}

function isZero(fields: Fact['fields']): boolean {
  return fields['code'] === '0' || fields['how'] === '0 return code'
}

function findRecordedJob({ ephemeralRunner, job, subject }: Evidence): readonly Fact[] {
  const recorded = ephemeralRunner?.job ?? null
  const started = job !== null && job.startedAt !== null && isOnRunner(job, subject)
  return [
    ...(recorded !== null
      ? [
          fieldFact({
            is: 'job-recorded',
            source: 'kubernetes/ephemeralrunners',
            at: null,
            text: `ARC recorded ${describeJob(recorded)} on this runner`,
          }),
        ]
      : []),
    ...(started
      ? [
          fieldFact({
            is: 'job-recorded',
            source: 'github/jobs',
            at: job.startedAt,
            text: `GitHub gave job ${job.id} to this runner`,
          }),
        ]
      : []),
  ]
}

function isOnRunner({ runner, status }: WorkflowJobFacts, subject: Evidence['subject']): boolean {
  if (status === 'queued' || status === 'waiting' || runner === null) return false
  return (
    runner === subject.runner ||
    runner === subject.pod ||
    (subject.pod !== null && runner.startsWith(`${subject.pod}-`))
  )
}

/** Only a log that is complete from the start shows that there was no job. */
function idleFact({ log }: Evidence, clues: readonly Fact[]): Fact | null {
  const listening = clues.find(({ is }) => is === 'runner-listening')
  if (listening === undefined || log === null || !log.isFromStart) return null
  return {
    ...listening,
    is: 'no-job-seen',
    text: 'the runner waited for a job, and its log, complete from the start, shows none',
  }
}

function readGitHubView({ job }: Evidence, clues: readonly Fact[]): GitHubView {
  const lost = clues.filter(({ is }) => is === 'lost-communication')
  if (job === null)
    return { completed: null, conclusion: null, lost, inProgress: null, failedStep: null, allSteps: null }
  const source = 'github/jobs'
  const hanging =
    job.status === 'completed' && job.conclusion === 'failure' ? job.steps.find((step) => isHanging(step)) : undefined
  const failed = job.steps.find(({ conclusion }) => conclusion === 'failure')
  return {
    completed:
      job.status === 'completed'
        ? fieldFact({
            is: 'job-completed',
            source,
            at: job.completedAt,
            text: `GitHub shows job ${job.id} as completed: ${job.conclusion}`,
          })
        : null,
    conclusion: job.conclusion,
    lost: [
      ...lost,
      ...(hanging === undefined
        ? []
        : [
            fieldFact({
              is: 'step-never-ended',
              source,
              at: job.completedAt,
              text: `step ${hanging.number} (${hanging.name}) never ended: GitHub closed the job without the runner`,
            }),
          ]),
    ],
    inProgress:
      job.status === 'in_progress'
        ? fieldFact({
            is: 'job-in-progress',
            source,
            at: job.startedAt,
            text: `GitHub still shows job ${job.id} as in progress`,
          })
        : null,
    allSteps: findAllSteps(job),
    failedStep:
      failed === undefined
        ? null
        : fieldFact({
            is: 'step-failed',
            source,
            at: failed.completedAt,
            text: `step ${failed.number} (${failed.name}) ended with failure`,
          }),
  }
}

function isHanging({ status, conclusion, startedAt }: StepFacts): boolean {
  return conclusion === null && (status === 'in_progress' || (startedAt !== null && status !== 'completed'))
}

function findAllSteps({ id, status, steps }: WorkflowJobFacts): Fact | null {
  if (status !== 'in_progress' || !hasAllSteps(steps)) return null
  return fieldFact({
    is: 'all-steps-reported',
    source: 'github/jobs',
    at: Math.max(...steps.map(({ completedAt }) => completedAt ?? 0)),
    text: `GitHub has the end of every step of job ${id}, and not of the job`,
  })
}

/** The runner adds the last step itself, when it reports the end of the job. */
const LAST_STEP = 'Complete job'

function hasAllSteps(steps: readonly StepFacts[]): boolean {
  const work = steps.filter(({ name }) => name !== LAST_STEP)
  const isReported = ({ status, conclusion }: StepFacts): boolean => status === 'completed' && conclusion !== null
  return work.length > 1 && work.every(isReported)
}
