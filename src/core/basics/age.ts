import { formatDuration } from './duration.ts'

/** How long ago, to the second: Kubernetes objects have no finer times. */
export function printAge(since: number | null, now: number): string {
  return since === null ? 'an unknown time' : formatDuration(Math.max(0, Math.floor((now - since) / 1000)) * 1000)
}
