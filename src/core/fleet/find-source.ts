import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Snapshot } from './snapshot.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'

const NOT_ASKED = blind('not-asked', 'not requested')
const NO_PROCESSES = blind('not-asked', 'the processes of no runner were read')

/** The result of a source, by its name in docs/contracts/bundle.md. */
export function findSource(snapshot: Snapshot, name: string): Observed<unknown> {
  const [first = '', second = '', ...rest] = name.split('/')
  return FINDERS.get(first)?.(snapshot, second, rest.join('/')) ?? NOT_ASKED
}

type FindPart = (snapshot: Snapshot, second: string, third: string) => Observed<unknown> | undefined

const FINDERS: ReadonlyMap<string, FindPart> = new Map<string, FindPart>([
  ['kubernetes', findKubernetes],
  ['github', findGitHub],
  ['gitlab', findGitLab],
  ['logs', ({ logs }) => logs],
  ['host', ({ hosts }) => hosts],
  ['processes', findProcesses],
  ['fleet', ({ fleetFile }) => fleetFile],
  ['probe', ({ probes }) => probes],
])

/** Seen if the processes of one pod were: the others are a matter of each pod. */
function findProcesses({ processes }: Snapshot): Observed<unknown> {
  const all = [...(processes?.values() ?? [])]
  const refused = all.find((one) => one.kind === 'blind' && one.reason.code !== 'not-asked')
  return all.find(({ kind }) => kind === 'seen') ?? refused ?? NO_PROCESSES
}

function findGitLab({ gitlab }: Snapshot, second: string): Observed<unknown> {
  if (second === 'token-owner') return gitlab.tokenOwner ?? NOT_ASKED
  return second === 'config' ? gitlab.config : gitlab.runners
}

function findKubernetes(snapshot: Snapshot, resource: string, node: string): Observed<unknown> {
  if (resource === 'audit') return snapshot.auditLog
  if (resource !== 'stats' && resource !== 'configz') {
    return snapshot.lists.get(resource as BundleResource) ?? NOT_ASKED
  }
  const byNode = snapshot[resource]
  return byNode.get(node) ?? NOT_ASKED
}

function findGitHub({ github, jobLogs }: Snapshot, second: string): Observed<unknown> {
  switch (second) {
    case 'logs':
      return jobLogs ?? NOT_ASKED
    case 'runners':
      return github.runners
    case 'queued-jobs':
      return github.queuedJobs
    case 'jobs':
      return github.jobs
    case 'rate-limit':
      return github.rateLimit
    case 'annotations':
      return github.annotations ?? NOT_ASKED
    default:
      return NOT_ASKED
  }
}
