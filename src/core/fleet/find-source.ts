import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Snapshot } from './snapshot.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'

const NOT_ASKED = blind('not-asked', 'not requested')

/** The result of a source, by its name in docs/contracts/bundle.md. */
export function findSource(snapshot: Snapshot, name: string): Observed<unknown> {
  const [first = '', second = '', ...rest] = name.split('/')
  const third = rest.join('/')
  switch (first) {
    case 'kubernetes':
      return findKubernetes(snapshot, second, third)
    case 'github':
      return findGitHub(snapshot, second)
    case 'gitlab':
      return second === 'config' ? snapshot.gitlab.config : snapshot.gitlab.runners
    case 'logs':
      return snapshot.logs
    case 'host':
      return snapshot.hosts
    case 'fleet':
      return snapshot.fleetFile
    case 'probe':
      return snapshot.probes ?? NOT_ASKED
    default:
      return NOT_ASKED
  }
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
    default:
      return NOT_ASKED
  }
}
