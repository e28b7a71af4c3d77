import { blind, none, seen } from '#/core/basics/observed.ts'
import type { CandidateSnapshot } from '#/core/interlock/candidate-snapshot.ts'
import { readAt } from '#/core/interlock/reading.ts'
import type { RunnerNow } from '#/ports/act-candidate.ts'
import type { DeregisterAnswer } from '#/ports/github-acts.ts'
import type { ActMeans } from './means.ts'

/** GitHub's answers, by the runner's name. A runner that GitHub did not list has none. */
export type Deregistrations = ReadonlyMap<string, CandidateSnapshot['deregistration']>

/** In turn, and not after the first refusal: a set in which one runner works keeps the others. */
export async function deregister(runners: readonly RunnerNow[], means: ActMeans): Promise<Deregistrations> {
  const answers = new Map<string, CandidateSnapshot['deregistration']>()
  for (const { snapshot, registration } of runners) {
    const row = snapshot.github.observed
    if (row.kind !== 'seen') continue
    const { id } = row.value
    const answer =
      id === null || registration === null
        ? blind('unsupported', 'where it is registered, or its id, is not known')
        : await means.github.deregister({ at: registration, id }, means.signal)
    const observed = toObserved(answer)
    answers.set(snapshot.subject.name, readAt(means.clock.now(), observed))
    if (observed.kind === 'blind' || (observed.kind === 'seen' && !observed.value.isAccepted)) break
  }
  return answers
}

function toObserved(answer: DeregisterAnswer): CandidateSnapshot['deregistration']['observed'] {
  switch (answer.kind) {
    case 'removed':
      return seen({ isAccepted: true, answer: 'it is no longer registered' })
    case 'busy':
      return seen({ isAccepted: false, answer: 'it is running a job' })
    case 'absent':
      return none()
    case 'blind':
      return answer
  }
}
