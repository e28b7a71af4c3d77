import path from 'node:path'

type Source = { readonly path: string; readonly text: string }

/** From one folder to another, with the import that makes it. */
export type FolderEdge = { readonly from: string; readonly to: string; readonly because: string }

const IMPORT = /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)'((?:#|\.)\/[^']+)'/g

/** The edges that lie on a cycle of folders, one for each pair of folders; none without cycles. */
export function folderCycles(files: readonly Source[]): readonly FolderEdge[] {
  const edges = listEdges(files)
  const targets = new Map<string, string[]>()
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to])
  return edges.filter(({ from, to }) => reaches(targets, to, from))
}

function listEdges(files: readonly Source[]): readonly FolderEdge[] {
  const edges = new Map<string, FolderEdge>()
  for (const file of files) {
    const from = path.posix.dirname(file.path)
    for (const [, specifier = ''] of file.text.matchAll(IMPORT)) {
      const target = specifier.startsWith('#') ? `src/${specifier.slice(2)}` : path.posix.join(from, specifier)
      const to = path.posix.dirname(target)
      const key = `${from} ${to}`
      if (from !== to && !edges.has(key)) edges.set(key, { from, to, because: `${file.path} imports ${target}` })
    }
  }
  return [...edges.values()]
}

function reaches(targets: ReadonlyMap<string, readonly string[]>, start: string, end: string): boolean {
  const seen = new Set([start])
  for (const folder of seen) {
    if (folder === end) return true
    for (const next of targets.get(folder) ?? []) seen.add(next)
  }
  return false
}
