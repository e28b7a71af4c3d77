import type { Runner } from '#/core/dispatch/runner.ts'

export type RunnerColumns = { readonly runner_id: number | null; readonly runner_name: string | null }

/** The runner that a row names, where naming one is optional in its state. */
export function runnerFromRow(row: RunnerColumns): Runner | null {
  return row.runner_name === null ? null : { id: row.runner_id, name: row.runner_name }
}

export function runnerColumns(runner: Runner | null): RunnerColumns {
  return { runner_id: runner?.id ?? null, runner_name: runner?.name ?? null }
}
