import type { Observed } from '#/core/basics/observed.ts'

/** A container of a runner. */
export type RunnerContainer = {
  readonly namespace: string
  readonly pod: string
  readonly uid: string
  readonly node: string
  readonly container: string
}

/** The processes in it now, as `ps -eo pid,ppid,etimes,args` prints them, redacted. Never `none`: it has at least one. */
export type ReadPodProcesses = (container: RunnerContainer, signal: AbortSignal) => Promise<Observed<string>>
