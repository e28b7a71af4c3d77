import { bundlePath } from '#/core/bundle-path.ts'
import { parseJson } from '#/core/bundle-json.ts'
import { blind } from '#/core/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Means } from './request.ts'

const PAGES = [
  { source: 'kubernetes/stats', path: bundlePath.stats, page: 'stats/summary' },
  { source: 'kubernetes/configz', path: bundlePath.configz, page: 'configz' },
] as const

/** What the kubelet of the node says of itself, asked through the API server. */
export async function* gatherNode({ request, answers }: Means, node: string): AsyncGenerator<BundleFile> {
  const { kubernetes, signal } = request
  if (kubernetes === null) return
  for (const { source, path, page } of PAGES) {
    request.progress(`asking ${node} for ${page}`)
    const answer = await kubernetes.raw(`/api/v1/nodes/${encodeURIComponent(node)}/proxy/${page}`, signal)
    if (answer.kind === 'none') answers.blind(`${source}/${node}`, blind('expired', `the node ${node} is gone`).reason)
    else if (answer.kind === 'blind') answers.blind(`${source}/${node}`, answer.reason)
    else if (parseJson(answer.value.text).kind === 'malformed') {
      answers.blind(`${source}/${node}`, blind('malformed', `${node}: ${page} is not JSON`).reason)
    } else {
      answers.looked(`${source}/${node}`)
      yield { path: path(node), content: answer.value.text }
    }
  }
}
