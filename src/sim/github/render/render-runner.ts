import type { Schema } from './schemas.ts'
import type { Urls } from './urls.ts'
import type { RunnerGroup, SimRunner } from '#/sim/github/world/world-state.ts'
import { nameKey } from '#/sim/github/world/world-tables.ts'

const OWN_LABELS = new Set(['self-hosted', 'linux', 'windows', 'macos', 'x64', 'arm64', 'arm'])

export function renderRunner(runner: SimRunner) {
  return {
    id: runner.id,
    name: runner.name,
    os: runner.os ?? 'unknown',
    status: runner.online ? 'online' : 'offline',
    busy: runner.job !== null,
    ephemeral: runner.ephemeral,
    version: runner.version,
    runner_group_id: runner.group.id,
    labels: runner.labels.map((name, index) => ({
      id: index + 1,
      name,
      type: OWN_LABELS.has(nameKey(name)) ? ('read-only' as const) : ('custom' as const),
    })),
  } satisfies Schema<'runner'>
}

export function renderGroup(group: RunnerGroup, urls: Urls) {
  const url = `${urls.api}/orgs/${group.organization}/actions/runner-groups/${group.id}`
  return {
    id: group.id,
    name: group.name,
    visibility: group.visibility,
    default: group.isDefault,
    runners_url: `${url}/runners`,
    ...(group.visibility === 'selected' ? { selected_repositories_url: `${url}/repositories` } : {}),
    inherited: false,
    allows_public_repositories: group.allowsPublicRepositories,
    workflow_restrictions_read_only: false,
    restricted_to_workflows: false,
    selected_workflows: [],
  } satisfies Schema<'runner-groups-org'>
}
