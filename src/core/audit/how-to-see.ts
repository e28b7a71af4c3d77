import type { BlindCode } from '#/core/basics/observed.ts'

/** What a person changes so that a source can be read; the code says what stands against it, where that is known. */
export function howToSee(source: string, code: BlindCode | null = null): string {
  const [first = '', second = ''] = source.split('/')
  return (code === null ? null : cureOf(first, code)) ?? adviceFor(source, first, second)
}

function adviceFor(source: string, first: string, second: string): string {
  switch (first) {
    case 'kubernetes':
      return howToSeeKubernetes(second)
    case 'github':
      return howToSeeGitHub(second)
    case 'gitlab':
      return howToSeeGitLab(second)
    case 'logs':
      return 'grant get on pods/log (deploy/observe/clusterrole.yaml)'
    case 'host':
      return 'run the agents and serve, and give --server URL; or on the node: signalbox audit nodes --this-node NAME'
    case 'fleet':
      return 'declare the fleet: signalbox fleet init writes the file, --fleet FILE reads it'
    case 'processes':
      return 'let an agent or pods/exec show them, run vitals.sh in the runner, or put processes/NAMESPACE/POD.txt into the bundle (docs/reap.md)'
    case 'probe':
      return 'add --probe, which runs a pod in the cluster'
    default:
      return `make ${source} readable, or put it into the bundle`
  }
}

/** For what no further right and no credential would change. Null: the advice of the source. */
function cureOf(system: string, code: BlindCode): string | null {
  if (system !== 'github' && system !== 'kubernetes') return null
  const name = system === 'github' ? 'GitHub' : 'the API server'
  switch (code) {
    case 'truncated':
      return `ask again: the list had fewer rows than ${name} counted; if it stays so, something between here and ${name} shortens it`
    case 'rate-limited':
      return `wait until ${name} answers again; signalbox audit auth shows the budget of the credential`
    case 'forbidden':
      return system === 'github' ? GITHUB_RIGHTS : null
    case 'unreachable':
    case 'timeout':
    case 'server-error':
    case 'malformed':
      return `${name} did not answer the question, and no right would change that: see the reason, and ask again`
    default:
      return null
  }
}

const GITHUB_RIGHTS =
  'the credential may not read this: give it Administration (read) of a repository, Self-hosted runners (read) of an organisation, Actions (read) for jobs'

function howToSeeGitLab(what: string): string {
  const token = 'set gitlab.token and declare gitlab.group (docs/configuration.md)'
  if (what === 'config') return 'give --gitlab-config FILE'
  return what === 'runners' ? `give --gitlab-runners-json FILE, or ${token}` : token
}

function howToSeeKubernetes(resource: string): string {
  switch (resource) {
    case 'audit':
      return 'put the audit log into the bundle as kubernetes/audit.jsonl (docs/evidence.md)'
    case 'stats':
    case 'configz':
      return 'grant get on nodes/proxy (deploy/observe/clusterrole.yaml)'
    case 'secrets':
      return 'grant list on secrets (deploy/observe/secrets.yaml)'
    default:
      return `grant list on ${resource} (deploy/observe/clusterrole.yaml)`
  }
}

function howToSeeGitHub(list: string): string {
  const credential = 'give a GitHub credential: SIGNALBOX_GITHUB_TOKEN or a GitHub App (docs/configuration.md)'
  return list === 'runners' ? `${credential}, or --github-runners-json FILE` : credential
}
