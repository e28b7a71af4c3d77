import { blind, none, seen } from '#/core/basics/observed.ts'
import type { GitHubRow } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { findStale, readAt } from '#/core/interlock/reading.ts'

const { now, terms } = EXAMPLE_CANDIDATE
const withRow = (change: Partial<GitHubRow>) => ({
  github: readAt(now, seen({ id: 4711, isOnline: false, isBusy: false, ...change })),
})

function describeRow({ id, isOnline, isBusy }: GitHubRow): string {
  const which = id === null ? 'it' : `runner ${id}`
  return `GitHub lists ${which} as ${isOnline ? 'online' : 'offline'}, ${isBusy ? 'busy' : 'not busy'}`
}

export const githubNotBusy: Gate = {
  id: 'github-not-busy',
  proof: 'the runner read by id or name just now: offline or absent, not busy',
  about:
    'A runner that should be dead must be offline or not listed. One that idles (policies hung, handoff, excess, stale-generation, wedge) may be online, but not busy. Absent counts only if the list is complete and is that of the organisation or repository where the runner is registered. An old list is blind.',
  toSeeIt: 'give a GitHub credential (docs/configuration.md), or, without --apply, a fresh --github-runners-json FILE',
  check: ({ github, terms: { github: must, freshMs }, now: at }) => {
    const { observed } = github
    if (observed.kind === 'blind') return cannotSee(observed.reason, github)
    // A busy runner stays busy in an old list too: only the other answers need a fresh one.
    if (observed.kind === 'seen' && observed.value.isBusy) return refuses(describeRow(observed.value), github)
    const stale = findStale(github, at, freshMs)
    if (stale !== null) return cannotSee(stale.reason, github)
    if (observed.kind === 'none') return holds("GitHub's complete list does not contain it", github)
    const row = observed.value
    return must === 'gone' && row.isOnline
      ? refuses(`${describeRow(row)}: it can get a job at any time`, github)
      : holds(describeRow(row), github)
  },
  examples: {
    holds: [
      { when: 'it is offline and not busy', candidate: {} },
      { when: 'a complete list does not have it', candidate: { github: readAt(now, none()) } },
      {
        when: 'it is online and not busy, for an act on idle runners',
        candidate: { ...withRow({ isOnline: true }), terms: { ...terms, github: 'not-busy' } },
      },
    ],
    refuses: [
      { when: 'it is busy', candidate: withRow({ isOnline: true, isBusy: true }) },
      { when: 'it is offline and still busy', candidate: withRow({ isBusy: true }) },
      { when: 'it is online, for an act on dead runners', candidate: withRow({ isOnline: true }) },
      {
        when: 'it is busy, for an act on idle runners',
        candidate: { ...withRow({ isOnline: true, isBusy: true }), terms: { ...terms, github: 'not-busy' } },
      },
    ],
    blind: [
      { when: 'GitHub refused the list', candidate: { github: readAt(now, blind('forbidden', '403')) } },
      {
        when: 'the list is old',
        candidate: { github: readAt(now - 3_600_000, seen({ id: 4711, isOnline: false, isBusy: false })) },
      },
    ],
  },
}
