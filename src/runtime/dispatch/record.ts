import { decideAssignment, toInvolvement } from '#/core/dispatch/assignment.ts'
import type { Changes, Happening } from '#/core/dispatch/assignment.ts'
import type { Assignments } from '#/ports/store/assignments.ts'

export type Recorded =
  | { readonly kind: 'changed'; readonly changes: Changes }
  | { readonly kind: 'unchanged' }
  /** Another writer won each time. Nothing was written; the same event may be recorded again later. */
  | { readonly kind: 'contended'; readonly tries: number }

/** A handful of writers can meet on one job; more turns than that mean that something writes without end. */
const MAX_TRIES = 10

/** Records what happened: reads the rows involved, decides, writes; starts over if another writer changed them. */
export async function record(
  assignments: Pick<Assignments, 'involved' | 'commit'>,
  happening: Happening,
): Promise<Recorded> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const changes = decideAssignment(happening, await assignments.involved(toInvolvement(happening)))
    if (changes.jobs.length === 0 && changes.slots.length === 0) return { kind: 'unchanged' }
    if ((await assignments.commit(changes)) === 'committed') return { kind: 'changed', changes }
  }
  return { kind: 'contended', tries: MAX_TRIES }
}
