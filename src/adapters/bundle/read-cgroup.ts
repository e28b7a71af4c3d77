import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { CgroupName } from '#/core/evidence/bundle-path.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { parseText } from './parse-source.ts'
import type { SourceReader } from './source-reader.ts'

/** All files of one cgroup, or none of them: half of the counters would read like all. An empty file is left out. */
export async function readCgroup(
  reader: SourceReader,
  name: CgroupName,
): Promise<Observed<ReadonlyMap<string, string>>> {
  const folder = `${bundlePath.cgroup(name)}/`
  const paths = reader.paths.filter((path) => path.startsWith(folder) && !path.slice(folder.length).includes('/'))
  const texts = new Map<string, string>()
  for (const path of paths) {
    const text = await reader.read(path, parseText)
    if (text.kind === 'blind') return text
    if (text.kind === 'seen') texts.set(path.slice(folder.length), text.value)
  }
  if (texts.size > 0) return seen(texts)
  if (paths.length > 0) return none()
  const listed = reader.list(bundlePath.cgroup(name), () => name)
  return listed.kind === 'blind' ? listed : blind('not-asked', `nothing was collected in ${folder}`)
}
