import { listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'

/** A job as GitHub's REST API returns it. */
export type WorkflowJobFacts = {
  readonly id: number | null
  readonly runId: number | null
  readonly name: string | null
  readonly status: string | null
  readonly conclusion: string | null
  readonly runner: string | null
  readonly createdAt: number | null
  readonly startedAt: number | null
  readonly completedAt: number | null
  readonly steps: readonly StepFacts[]
}

export type StepFacts = {
  readonly number: number | null
  readonly name: string
  readonly status: string | null
  readonly conclusion: string | null
  readonly startedAt: number | null
  readonly completedAt: number | null
}

export function readWorkflowJob(object: unknown): WorkflowJobFacts {
  return {
    id: numberAt(object, 'id'),
    runId: numberAt(object, 'run_id'),
    name: textAt(object, 'name'),
    status: textAt(object, 'status'),
    conclusion: textAt(object, 'conclusion'),
    runner: textAt(object, 'runner_name'),
    createdAt: timeAt(object, 'created_at'),
    startedAt: timeAt(object, 'started_at'),
    completedAt: timeAt(object, 'completed_at'),
    steps: listAt(object, 'steps').map(readStep),
  }
}

function readStep(step: unknown): StepFacts {
  return {
    number: numberAt(step, 'number'),
    name: textAt(step, 'name') ?? '',
    status: textAt(step, 'status'),
    conclusion: textAt(step, 'conclusion'),
    startedAt: timeAt(step, 'started_at'),
    completedAt: timeAt(step, 'completed_at'),
  }
}
