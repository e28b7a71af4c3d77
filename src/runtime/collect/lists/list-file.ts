import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** A bundle takes no larger file, and whoever reads one holds it in memory. */
const MOST_CHARACTERS = 128 * 1024 * 1024

export type ListFile = { readonly file: BundleFile; readonly remark: string | null }

/** As `kubectl get -o json` prints it. What is too much is left out, the subject's neighbours last. */
export function listFile(
  name: string,
  items: readonly object[],
  { isNear = () => false, most = MOST_CHARACTERS }: { isNear?: (item: object) => boolean; most?: number } = {},
): ListFile {
  const kept: string[] = []
  let room = most
  for (const item of [...items.filter(isNear), ...items.filter((item) => !isNear(item))]) {
    const text = JSON.stringify(item)
    if (text.length > room) break
    room -= text.length
    kept.push(text)
  }
  const head = '{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":['
  const content = `${head}${kept.length === 0 ? '' : `\n${kept.join(',\n')}\n`}]}\n`
  const remark = kept.length === items.length ? null : `only ${kept.length} of ${items.length} objects fit in`
  return { file: { path: bundlePath.resource(name), content }, remark }
}

/** In one of the namespaces, or on one of the nodes, that the question is about. */
export function isNearTo(namespaces: ReadonlySet<string>, nodes: ReadonlySet<string>): (item: object) => boolean {
  return (item) => {
    const { metadata, spec } = item as Partial<KubeObject> & { readonly spec?: { readonly nodeName?: unknown } }
    const node = spec?.nodeName
    return namespaces.has(metadata?.namespace ?? '') || (typeof node === 'string' && nodes.has(node))
  }
}
