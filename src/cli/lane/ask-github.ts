import type { GitHubConnection } from '#/app/open-github.ts'
import { blind, mapSeen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { GitHubBusy } from '#/core/lane/judge-drain.ts'
import { findRegistration } from '#/runtime/collect/fleet/fleet-registrations.ts'

type Asked = { readonly object: object; readonly githubUrl: string; readonly signal: AbortSignal }

/** Which runners of the place where the set is registered are busy. */
export async function askGitHub(
  github: Pick<GitHubConnection, 'runners'> | null,
  { object, githubUrl, signal }: Asked,
): Promise<Observed<readonly GitHubBusy[]>> {
  if (github === null) return blind('not-asked', 'no credential for GitHub is configured')
  const at = findRegistration([object], githubUrl)
  if (at === null) return blind('unsupported', 'its runners are registered where this credential cannot ask')
  const rows = await github.runners.list(at, { signal })
  return mapSeen(rows, (found) => found.map(({ name, busy }) => ({ name, busy })))
}
