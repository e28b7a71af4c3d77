import path from 'node:path'
import type { SourceFile } from './source-files.ts'

export type Folder = { readonly path: string; readonly files: number; readonly tests: number }

/** Folders that hold one file per entry of a list: they grow with the list, and a name leads straight to a file. */
const COLLECTIONS = /^src\/(causes|gates|reconcilers|signatures(\/\w+)?|adapters\/postgres\/queries)$/
export const MOST_FILES = 30

export function isCollection({ path: folder }: Folder): boolean {
  return COLLECTIONS.test(folder)
}

/** Every folder of TypeScript under src, with how many files and how many tests it has. */
export function countFolders(files: readonly SourceFile[]): readonly Folder[] {
  const sources = files.filter((file) => /^src\/.*\.tsx?$/.test(file.path))
  const byFolder = Map.groupBy(sources, (file) => path.posix.dirname(file.path))
  return [...byFolder]
    .map(([folder, own]) => ({
      path: folder,
      files: own.filter((file) => !isTest(file)).length,
      tests: own.filter(isTest).length,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

export function countLines(files: readonly SourceFile[]): { readonly source: number; readonly test: number } {
  const lines = (wanted: (file: SourceFile) => boolean): number =>
    files.filter((file) => /\.tsx?$/.test(file.path) && wanted(file)).reduce((sum, file) => sum + file.lines.length, 0)
  return {
    source: lines((file) => file.path.startsWith('src/') && !isTest(file)),
    test: lines((file) => file.path.startsWith('test/') || isTest(file)),
  }
}

function isTest({ path: file }: SourceFile): boolean {
  return /\.test\.tsx?$/.test(file)
}
