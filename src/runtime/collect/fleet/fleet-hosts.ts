import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import { HOST_FILES } from '#/ports/this-host.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import type { FleetPlan } from './fleet-plan.ts'

const SOURCE = 'host'
/** It becomes a folder of the bundle. */
const NODE_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/

/** What the agents hold of their machines: the kernel's tables as they are now. */
export async function* gatherAgentHosts({ request, answers }: Means, plan: FleetPlan): AsyncGenerator<BundleFile> {
  const { hosts, thisNode, signal, progress } = request
  if (hosts === null || !plan.has(SOURCE)) return
  progress('asking the agents')
  const read = await hosts(signal)
  if (read.kind === 'blind') return answers.blindUnlessLooked(SOURCE, read.reason)
  const all = (read.kind === 'seen' ? read.value : []).filter(({ node }) => NODE_NAME.test(node))
  for (const { node, files, unread } of all.filter((host) => host.node !== thisNode?.name)) {
    for (const name of HOST_FILES) {
      const content = files.get(name)
      if (content !== undefined) yield { path: bundlePath.host(node, name), content }
    }
    const why = unread.join('; ')
    if (files.size > 0) answers.looked(`${SOURCE}/${node}`, { remark: why === '' ? null : why })
    else answers.blind(`${SOURCE}/${node}`, { code: 'unreachable', detail: why })
  }
  answers.looked(SOURCE, { remark: `of ${all.length} nodes whose agents are connected` })
}
