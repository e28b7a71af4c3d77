import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

export type SourceFile = { readonly path: string; readonly text: string; readonly lines: readonly string[] }

const root = path.resolve(import.meta.dirname, '..', '..')

/** What git would commit: tracked files and new ones that are not ignored. */
export function sourceFiles(matching: RegExp): readonly SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed
    .split('\0')
    .filter((name) => matching.test(name))
    .flatMap((name) => readIfThere(name))
}

function readIfThere(name: string): readonly SourceFile[] {
  try {
    const text = readFileSync(path.join(root, name), 'utf8')
    return [{ path: name, text, lines: text.split('\n') }]
  } catch {
    return []
  }
}
