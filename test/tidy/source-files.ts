import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

export type SourceFile = { readonly path: string; readonly text: string; readonly lines: readonly string[] }

const root = path.resolve(import.meta.dirname, '..', '..')

/** What .gitignore excludes, and git's folder: the rules must work in an export without git too. */
const NOT_OURS = /^(?:\.git|node_modules|dist|\.signalbox|coverage)$|\.tgz$|^package\.json\.unpacked$/

/** The files of the project, by their paths from its root, sorted. */
export function sourceFiles(matching: RegExp): readonly SourceFile[] {
  return filesBelow('')
    .filter((name) => matching.test(name))
    .map((name) => {
      const text = readFileSync(path.join(root, name), 'utf8')
      return { path: name, text, lines: text.split('\n') }
    })
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => !NOT_OURS.test(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? filesBelow(name) : entry.isFile() ? [name] : []
    })
}
