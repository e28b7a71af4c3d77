import type { Clock } from '#/ports/clock.ts'
import type { Assignment } from './assignment.ts'
import { assign } from './assignment.ts'
import type { JobResult } from './job-lifecycle.ts'
import { beginStep, changeJob, completeJob, releaseJob, startJob } from './job-lifecycle.ts'
import { passTime } from './passing-time.ts'
import type { JobSpec, RerunSelection, RunSpec } from './run-lifecycle.ts'
import { addToRun, jobsOfRun, queueRun, rerun } from './run-lifecycle.ts'
import type { Registration, Removal, RunnerSpec } from './runner-lifecycle.ts'
import {
  addGroup,
  listGroups,
  registerRunner,
  removeRunner,
  runnerComesOnline,
  listRunners,
  runnerVanishes,
} from './runner-lifecycle.ts'
import type { Seeded } from './seeded.ts'
import type {
  Account,
  Annotation,
  CheckRun,
  Repository,
  RunnerGroup,
  Scope,
  SimJob,
  SimRun,
  SimRunner,
  WorldEvent,
} from './world-state.ts'
import type { Tables, WorldRules } from './world-tables.ts'
import { nameKey, requireRow, SimMisuse } from './world-tables.ts'

/** The truth behind the API: what tests set, what they ask at the end, and what happens in between. */
export type World = ReturnType<typeof createWorld>

export function createWorld(options: {
  readonly clock: Clock
  readonly seeded: Seeded
  readonly rules: WorldRules
  readonly emit: (event: WorldEvent) => void
}) {
  const tables: Tables = {
    ...options,
    accounts: new Map(),
    repositories: new Map(),
    groups: [],
    runners: new Map(),
    runs: new Map(),
    jobs: new Map(),
    jobsOfRun: new Map(),
    checkRuns: new Map(),
  }
  return { ...places(tables), ...workflows(tables), ...runners(tables), ...checks(tables) }
}

function places(tables: Tables) {
  const addAccount = (login: string, type: Account['type']): Account => {
    if (tables.accounts.has(nameKey(login))) throw new SimMisuse(`account ${login} exists`)
    const account: Account = { id: tables.seeded.id(), login, type }
    tables.accounts.set(nameKey(login), account)
    return account
  }
  return {
    addOrganization: (login: string): Account => {
      const account = addAccount(login, 'Organization')
      addGroup(tables, groupSpec(login, { name: 'Default' }))
      return account
    },
    addUser: (login: string): Account => addAccount(login, 'User'),
    addRepository: (
      fullName: string,
      options: { readonly private?: boolean; readonly archived?: boolean } = {},
    ): Repository => {
      const [login = '', name = ''] = fullName.split('/')
      const owner = requireRow(tables.accounts, nameKey(login), 'account')
      const repository: Repository = {
        id: tables.seeded.id(),
        owner,
        name,
        fullName: `${owner.login}/${name}`,
        private: options.private ?? true,
        archived: options.archived ?? false,
        createdAt: tables.clock.now(),
      }
      tables.repositories.set(nameKey(fullName), repository)
      return repository
    },
    addRunnerGroup: (organization: string, group: Partial<RunnerGroup> & { readonly name: string }): RunnerGroup =>
      addGroup(tables, groupSpec(organization, group)),
    account: (login: string): Account | undefined => tables.accounts.get(nameKey(login)),
    repository: (fullName: string): Repository | undefined => tables.repositories.get(nameKey(fullName)),
    repositories: (): readonly Repository[] => [...tables.repositories.values()],
    groups: (organization: string): readonly RunnerGroup[] => listGroups(tables, organization),
  }
}

function workflows(tables: Tables) {
  return {
    queueRun: (spec: RunSpec) => queueRun(tables, spec),
    /** A run of one job, or one more job of a run. */
    queueJob: (spec: JobSpec & ({ readonly run: number } | Omit<RunSpec, 'jobs'>)): SimJob => {
      if ('run' in spec) return addToRun(tables, spec.run, spec)
      const [job] = queueRun(tables, { ...spec, jobs: [spec] }).jobs
      if (job === undefined) throw new SimMisuse('a run of one job has one job')
      return job
    },
    releaseJob: (id: number): SimJob => releaseJob(tables, id),
    assign: (): readonly Assignment[] => assign(tables),
    startJob: (id: number): SimJob => startJob(tables, id),
    beginStep: (id: number, name: string): SimJob => beginStep(tables, id, name),
    completeJob: (id: number, result: JobResult = { conclusion: 'success' }): SimJob => completeJob(tables, id, result),
    annotate: (id: number, annotation: Annotation): SimJob =>
      changeJob(tables, id, {
        annotations: [...requireRow(tables.jobs, id, 'job').annotations, annotation],
      }),
    expireLog: (id: number): SimJob => changeJob(tables, id, { log: { kind: 'expired' } }),
    rerun: (run: number, chosen: RerunSelection): readonly SimJob[] => rerun(tables, run, chosen),
    cancelRun: (id: number): void => {
      for (const job of jobsOfRun(tables, id)) {
        if (job.status !== 'completed') completeJob(tables, job.id, { conclusion: 'cancelled' })
      }
    },
    job: (id: number): SimJob | undefined => tables.jobs.get(id),
    jobs: (): readonly SimJob[] => [...tables.jobs.values()],
    run: (id: number): SimRun | undefined => tables.runs.get(id),
    runs: (): readonly SimRun[] => [...tables.runs.values()],
    jobsOfRun: (id: number): readonly SimJob[] => jobsOfRun(tables, id),
  }
}

function runners(tables: Tables) {
  return {
    registerRunner: (spec: RunnerSpec): Registration => registerRunner(tables, spec),
    runnerComesOnline: (id: number): SimRunner => runnerComesOnline(tables, id),
    runnerVanishes: (id: number): SimRunner => runnerVanishes(tables, id),
    removeRunner: (scope: Scope, id: number): Removal => removeRunner(tables, scope, id),
    runner: (id: number): SimRunner | undefined => tables.runners.get(id),
    runners: (): readonly SimRunner[] => [...tables.runners.values()],
    listRunners: (scope: Scope): readonly SimRunner[] => listRunners(tables, scope),
    /** Lets happen what is due on the clock: lost communication, jobs not picked up, runners that stayed away. */
    passTime: (): void => passTime(tables),
  }
}

function checks(tables: Tables) {
  return {
    putCheckRun: (checkRun: CheckRun): void => {
      tables.checkRuns.set(checkRun.id, checkRun)
    },
    checkRun: (id: number): CheckRun | undefined => tables.checkRuns.get(id),
  }
}

function groupSpec(
  organization: string,
  group: Partial<RunnerGroup> & { readonly name: string },
): Omit<RunnerGroup, 'id' | 'isDefault'> {
  return {
    organization,
    name: group.name,
    visibility: group.visibility ?? 'all',
    allowsPublicRepositories: group.allowsPublicRepositories ?? false,
    repositories: group.repositories ?? [],
  }
}
