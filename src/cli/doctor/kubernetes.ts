import type { Check, DoctorContext } from '#/cli/doctor/check.ts'
import { fail, ok } from '#/cli/doctor/check.ts'
import type { BlindCode, Observed } from '#/core/basics/observed.ts'
import { blind, seen } from '#/core/basics/observed.ts'

const COST = 'No runner pod can be seen: no deaths are recorded, and audits have no data.'

const FIXES: Partial<Record<BlindCode, string>> = {
  unauthenticated: 'Check --kubeconfig and --context, or renew the credential of that context.',
  forbidden: 'Use a credential that can read /version, or another context.',
  unreachable: 'Check that the address of the cluster is reachable from here, and the proxy settings below.',
  timeout: 'Check the network between here and the cluster, and the proxy settings below.',
}

export const kubernetes: Check = {
  id: 'kubernetes',
  title: 'Kubernetes',
  reaches: true,
  check: async (context) => {
    const version = await context.clusterVersion()
    if (context.kubernetes === null) {
      return fail('no kubeconfig, and not running in a cluster', {
        cost: COST,
        fix: 'Use --kubeconfig, set KUBECONFIG, or run signalbox in the cluster.',
      })
    }
    const access = await context.kubernetes.access(context.signal)
    const server = access.kind === 'seen' ? access.value.server : 'the cluster'
    if (version.kind === 'seen') return ok(`${version.value} at ${server}`)
    const { code, detail } =
      version.kind === 'blind' ? version.reason : { code: 'malformed' as const, detail: 'no version' }
    return fail(`${server}: ${detail}`, { cost: COST, fix: FIXES[code] ?? 'Try kubectl version.' })
  },
}

/** Every authenticated user can read `/version`. */
export async function askClusterVersion({
  kubernetes: cluster,
  signal,
}: Pick<DoctorContext, 'kubernetes' | 'signal'>): Promise<Observed<string>> {
  if (cluster === null) return blind('not-asked', 'no cluster is configured')
  const answer = await cluster.raw('/version', signal)
  if (answer.kind !== 'seen') return answer
  const version = /"gitVersion":\s*"(v[\w.+-]{1,40})"/.exec(answer.value.text)?.[1]
  return version === undefined
    ? blind('malformed', 'no version in /version: is this a Kubernetes API server?')
    : seen(version)
}
