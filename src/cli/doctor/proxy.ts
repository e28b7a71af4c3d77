import { proxyFor } from '#/adapters/http/proxy-for.ts'
import type { Check, DoctorContext } from '#/cli/doctor/check.ts'
import { ok, warn } from '#/cli/doctor/check.ts'
import { maskUrl } from '#/config/mask-url.ts'

const CLUSTER = 'the cluster'

export const proxy: Check = {
  id: 'proxy',
  title: 'Proxies',
  check: async (context) => {
    const targets = [{ name: 'GitHub', url: context.config.github.baseUrl }, ...(await clusterTarget(context))]
    const ways = targets.map(({ name, url }) => ({ name, way: proxyFor(new URL(url), context.network.proxies) }))
    const detail = ways
      .map(({ name, way }) => `${name} ${way === null ? 'directly' : `through ${maskUrl(way)}`}`)
      .join(', ')
    const detour = context.config.kubernetes.source.kind === 'in-cluster' && ways.some(isDetour)
    if (!detour) return ok(detail)
    return warn(detail, {
      cost: 'The API server is in the same cluster, and a proxy often cannot reach it.',
      fix: 'Add the address of the API server (KUBERNETES_SERVICE_HOST) and .svc to NO_PROXY.',
    })
  },
}

function isDetour({ name, way }: { readonly name: string; readonly way: string | null }): boolean {
  return name === CLUSTER && way !== null
}

async function clusterTarget({
  kubernetes,
  signal,
}: DoctorContext): Promise<readonly { readonly name: string; readonly url: string }[]> {
  const access = await kubernetes?.access(signal)
  return access?.kind === 'seen' ? [{ name: CLUSTER, url: access.value.server }] : []
}
