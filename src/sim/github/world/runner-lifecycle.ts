import type { RunnerGroup, Scope, SimRunner } from './world-state.ts'
import type { Tables } from './world-tables.ts'
import { nameKey, requireRow, SimMisuse } from './world-tables.ts'

const DEFAULT_GROUP_ID = 1

export type RunnerSpec = {
  readonly name: string
  readonly scope: Scope
  readonly labels: readonly string[]
  readonly groupId?: number
  readonly ephemeral?: boolean
}

export type Registration =
  | { readonly kind: 'registered'; readonly runner: SimRunner }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'no-such-group' }

/** From this moment the name is taken, although no machine has spoken yet. */
export function registerRunner(tables: Tables, spec: RunnerSpec): Registration {
  const group = findGroup(tables, spec.scope, spec.groupId ?? DEFAULT_GROUP_ID)
  if (group === undefined) return { kind: 'no-such-group' }
  const taken = listRunners(tables, spec.scope).some((runner) => nameKey(runner.name) === nameKey(spec.name))
  if (taken) return { kind: 'name-taken' }
  const now = tables.clock.now()
  const runner: SimRunner = {
    id: tables.seeded.id(),
    name: spec.name,
    scope: spec.scope,
    group: { id: group.id, name: group.name },
    labels: spec.labels,
    ephemeral: spec.ephemeral ?? false,
    online: false,
    os: null,
    version: null,
    job: null,
    registeredAt: now,
    offlineSince: now,
  }
  tables.runners.set(runner.id, runner)
  return { kind: 'registered', runner }
}

export function runnerComesOnline(tables: Tables, id: number): SimRunner {
  return changeRunner(tables, id, { online: true, os: 'linux', version: '2.330.0', offlineSince: null })
}

/** The machine vanished. GitHub still thinks that it runs its job, until the lock expires. */
export function runnerVanishes(tables: Tables, id: number): SimRunner {
  return changeRunner(tables, id, { online: false, offlineSince: tables.clock.now() })
}

export type Removal = 'removed' | 'absent' | 'busy'

export function removeRunner(tables: Tables, scope: Scope, id: number): Removal {
  const runner = tables.runners.get(id)
  if (runner === undefined || !sameScope(runner.scope, scope)) return 'absent'
  if (runner.job !== null) return 'busy'
  tables.runners.delete(id)
  return 'removed'
}

/** What a job's end means for the runner that had it: an ephemeral runner is removed, any other is idle again. */
export function releaseRunner(tables: Tables, job: number): void {
  const runner = [...tables.runners.values()].find((candidate) => candidate.job?.id === job)
  if (runner === undefined) return
  const started = requireRow(tables.jobs, job, 'job').runner !== null
  if (runner.ephemeral && started) tables.runners.delete(runner.id)
  else changeRunner(tables, runner.id, { job: null })
}

export function changeRunner(tables: Tables, id: number, change: Partial<SimRunner>): SimRunner {
  const runner: SimRunner = { ...requireRow(tables.runners, id, 'runner'), ...change }
  tables.runners.set(id, runner)
  return runner
}

/** Newest last, as GitHub lists them. */
export function listRunners(tables: Tables, scope: Scope): readonly SimRunner[] {
  return [...tables.runners.values()].filter((runner) => sameScope(runner.scope, scope))
}

export function listGroups(tables: Tables, organization: string): readonly RunnerGroup[] {
  return tables.groups.filter((group) => nameKey(group.organization) === nameKey(organization))
}

export function addGroup(tables: Tables, group: Omit<RunnerGroup, 'id' | 'isDefault'>): RunnerGroup {
  const siblings = listGroups(tables, group.organization)
  const added: RunnerGroup = { ...group, id: siblings.length + 1, isDefault: siblings.length === 0 }
  if (siblings.some((sibling) => sibling.name === group.name)) throw new SimMisuse(`group ${group.name} exists`)
  tables.groups.push(added)
  return added
}

function findGroup(tables: Tables, scope: Scope, id: number): Pick<RunnerGroup, 'id' | 'name'> | undefined {
  if (scope.kind === 'organization') return listGroups(tables, scope.login).find((group) => group.id === id)
  return id === DEFAULT_GROUP_ID ? { id, name: 'Default' } : undefined
}

function sameScope(a: Scope, b: Scope): boolean {
  if (a.kind === 'organization') return b.kind === 'organization' && nameKey(a.login) === nameKey(b.login)
  return b.kind === 'repository' && nameKey(a.fullName) === nameKey(b.fullName)
}
