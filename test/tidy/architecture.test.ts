import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { MOST_FILES, countFolders, countLines, isCollection } from './folders.ts'
import { sourceFiles } from './source-files.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const page = path.join(root, 'docs', 'architecture.md')
const [BEGIN, END] = ['<!-- folders: begin -->', '<!-- folders: end -->']

const files = sourceFiles(/^(src|test)\/.*\.tsx?$/)
const folders = countFolders(files)

describe('docs/architecture.md', () => {
  const text = readFileSync(page, 'utf8')

  it('names only files and folders that exist', () => {
    const code = [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span ?? '').join(' ')
    const named = code.match(/(?<![\w./])(?:src|test|docs|deploy|bench|migrations|web)\/[^\s*<]*/g) ?? []
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([])
  })

  it('lists every folder with its files (vitest -u rewrites the table)', async () => {
    const [before, rest] = text.split(BEGIN)
    const after = rest?.split(END)[1]
    const lines = countLines(files)
    const table = [
      '| folder | files | tests |',
      '| --- | --- | --- |',
      ...folders.map((folder) => `| ${folder.path} | ${folder.files} | ${folder.tests} |`),
      '',
      `Test lines per source line: ${(lines.test / lines.source).toFixed(1)}.`,
    ]
    await expect(`${before}${BEGIN}\n\n${table.join('\n')}\n\n${END}${after}`).toMatchFileSnapshot(page)
  })
})

describe('a folder', () => {
  it(`has at most ${MOST_FILES} files besides tests, unless it is a collection of one file each`, () => {
    const crowded = folders.filter((folder) => folder.files > MOST_FILES && !isCollection(folder))
    expect(crowded.map((folder) => `${folder.path}: ${folder.files} files; split it by topic`)).toEqual([])
  })

  it('is counted with its tests apart', () => {
    const made = ['src/a/x.ts', 'src/a/x.test.ts', 'src/b/y.ts'].map((name) => ({ path: name, text: '', lines: [''] }))
    expect(countFolders(made)).toEqual([
      { path: 'src/a', files: 1, tests: 1 },
      { path: 'src/b', files: 1, tests: 0 },
    ])
  })
})
