import { completeJob, loseJob } from './job-lifecycle.ts'
import { changeRunner } from './runner-lifecycle.ts'
import type { SimRunner } from './world-state.ts'
import type { Tables } from './world-tables.ts'

/** What GitHub does by itself when time passes. Called before every answer, and by whoever moves the clock. */
export function passTime(tables: Tables): void {
  for (const runner of tables.runners.values()) passRunner(tables, runner)
  const deadline = tables.clock.now() - tables.rules.queueLimitMs
  for (const job of tables.jobs.values()) {
    if (job.status === 'queued' && job.createdAt < deadline) {
      completeJob(tables, job.id, {
        conclusion: 'failure',
        annotations: [
          {
            level: 'failure',
            title: null,
            path: '.github',
            message: 'The job has exceeded the maximum execution time while awaiting a runner for 24h0m0s',
          },
        ],
      })
    }
  }
}

function passRunner(tables: Tables, runner: SimRunner): void {
  const { rules, clock } = tables
  const now = clock.now()
  const awayMs = runner.offlineSince === null ? 0 : now - runner.offlineSince
  const job = runner.job === null ? undefined : tables.jobs.get(runner.job.id)
  if (job?.status === 'in_progress') {
    if (awayMs >= rules.lostCommunicationMs) loseJob(tables, job.id)
    return
  }
  if (runner.job !== null) {
    if (now - runner.job.since >= rules.pickUpMs) changeRunner(tables, runner.id, { job: null })
    return
  }
  if (runner.ephemeral && awayMs >= rules.ephemeralAwayMs) tables.runners.delete(runner.id)
}
