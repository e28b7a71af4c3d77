import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { NodeSource } from './fleet-plan.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

export type NodePage = {
  readonly source: NodeSource
  readonly path: (node: string) => string
  readonly page: string
}

export const NODE_PAGES: readonly NodePage[] = [
  { source: 'kubernetes/stats', path: bundlePath.stats, page: 'stats/summary' },
  { source: 'kubernetes/configz', path: bundlePath.configz, page: 'configz' },
]

/** What the kubelet of the node says of itself, asked through the API server. */
export async function* gatherNode(means: Means, node: string): AsyncGenerator<BundleFile> {
  const { kubernetes, signal, progress } = means.request
  if (kubernetes === null) return
  for (const page of NODE_PAGES) {
    progress(`asking ${node} for ${page.page}`)
    const file = toNodeFile(means, page, { node, answer: await readNodePage(kubernetes, page, { node, signal }) })
    if (file !== null) yield file
  }
}

export async function readNodePage(
  kubernetes: Kubernetes,
  { page }: NodePage,
  { node, signal }: { readonly node: string; readonly signal: AbortSignal },
): Promise<Observed<string>> {
  const answer = await kubernetes.raw(`/api/v1/nodes/${encodeURIComponent(node)}/proxy/${page}`, signal)
  if (answer.kind === 'none') return blind('expired', `the node ${node} is gone`)
  if (answer.kind === 'blind') return answer
  const isJson = parseJson(answer.value.text).kind === 'parsed'
  return isJson ? seen(answer.value.text) : blind('malformed', `${node}: ${page} is not JSON`)
}

/** Notes the answer, and gives the file where there is one. */
export function toNodeFile(
  { answers }: Means,
  { source, path }: NodePage,
  { node, answer }: { readonly node: string; readonly answer: Observed<string> },
): BundleFile | null {
  const name = `${source}/${node}`
  if (answer.kind !== 'seen') {
    answers.blind(name, answer.kind === 'blind' ? answer.reason : gone(node))
    return null
  }
  answers.looked(name)
  return { path: path(node), content: answer.value }
}

function gone(node: string): BlindReason {
  return blind('expired', `the node ${node} is gone`).reason
}
