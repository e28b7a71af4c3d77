import { blind } from '#/core/basics/observed.ts'
import type { DeregisterAnswer, GitHubActs } from '#/ports/github-acts.ts'
import type { DeregisterOutcome, Runners } from '#/ports/github.ts'

export function githubActs(runners: Pick<Runners, 'deregister'>): GitHubActs {
  return {
    deregister: async ({ at, id }, signal) => toAnswer(await runners.deregister(at, id, { signal })),
  }
}

function toAnswer(outcome: DeregisterOutcome): DeregisterAnswer {
  switch (outcome.kind) {
    case 'deregistered':
      return { kind: 'removed' }
    case 'busy':
    case 'absent':
    case 'blind':
      return outcome
    case 'forbidden': {
      const needs = outcome.permission === null ? '' : ` (it needs ${outcome.permission})`
      return blind('forbidden', `${outcome.detail}${needs}`)
    }
  }
}
