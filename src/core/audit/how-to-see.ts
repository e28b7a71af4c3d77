/** What a person changes so that a source can be read. */
export function howToSee(source: string): string {
  const [first = '', second = ''] = source.split('/')
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
