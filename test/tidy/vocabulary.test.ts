import { describe, expect, it } from 'vitest'
import type { SourceFile } from './source-files.ts'
import { sourceFiles } from './source-files.ts'
import { findReplaced, readReplaced } from './vocabulary.ts'

const CHECKED = /^(?:src|test|bench|docs|deploy)\/|^(?:README|CHANGELOG)\.md$/

/** Files whose words are not ours, or that have to name the replaced words. */
const UNCHECKED = [
  // It defines the replaced words.
  /^docs\/glossary\.md$/,
  // Contracts are copies; their text is not edited here.
  /^docs\/contracts\//,
  // Generated from src, which is checked, and from fixtures, which stay as they were recorded.
  /^docs\/(?:causes|findings)\//,
  // Fixtures stay as they were recorded or written.
  /^test\/bundles\/(?:deaths|fresh|recorded|recordings)\//,
  /^test\/fleets\/(?:arc|fresh|written)\//,
  // These name replaced words to check for them.
  /^test\/tidy\/vocabulary(?:\.test)?\.ts$/,
]

type Exemption = { readonly words: readonly string[]; readonly path: RegExp; readonly line: RegExp }

const EXEMPT: readonly Exemption[] = [
  // Audit events of Kubernetes have these fields.
  {
    words: ['stage'],
    path: /audit-log|api-server-gap\.test|pod-facts\.test|read-lists\.test|openapi-schemas|mutate-json/,
    line: /\bstage(?:Timestamp)?\b/,
  },
  // A field in a log line of GitHub's runner.
  { words: ['stage'], path: /^test\/bundles\/record\/runner-script\.ts$/, line: /"stage":"Main"/ },
  // A component of Grafana Alloy.
  { words: ['stage'], path: /^docs\/with-existing-logging\.md$/, line: /`stage\.drop`/ },
  // A table: renaming it would need a migration of every installed database.
  {
    words: ['sightings'],
    path: /^(?:src|test)\//,
    line: /(?:\bfrom|\binto|>=|truncate .*) sightings\b|untilCount\('sightings'/,
  },
  // Keys in installed databases: another name would send old notifications again.
  { words: ['told'], path: /^(?:src|test)\//, line: /\/told['`]/ },
  // The changelog names what was renamed.
  {
    words: ['mend', 'telling', 'told', 'capture', 'captures', 'duty'],
    path: /^CHANGELOG\.md$/,
    line: /the (?:field|alert|metric|signature) `[\w-]+`.* is now `[\w-]+`/i,
  },
]

function check(file: SourceFile): readonly string[] {
  const exempt = EXEMPT.filter(({ path }) => path.test(file.path))
  return findReplaced(file, REPLACED, (line, word) =>
    exempt.some((one) => one.words.includes(word) && one.line.test(line)),
  )
}

const REPLACED = readReplaced(sourceFiles(/^docs\/glossary\.md$/)[0]?.text ?? '')
const files = sourceFiles(CHECKED).filter(({ path }) => !UNCHECKED.some((one) => one.test(path)))

const makeFile = (path: string, text: string): SourceFile => ({ path, text, lines: text.split('\n') })

describe('the vocabulary of docs/glossary.md', () => {
  it('marks the words that it replaces', () => {
    expect(REPLACED).toContainEqual({ word: 'told', by: 'report, print, say' })
    expect(REPLACED.length).toBeGreaterThan(30)
  })

  it('is used in every file', () => {
    expect(files.length).toBeGreaterThan(1000)
    expect(files.flatMap(check)).toEqual([])
  })

  it.each([
    ['src/made-up.ts', 'const toldApart = 1', 'told'],
    ['src/made-up.ts', 'const TOLD_APART = 1', 'told'],
    ['src/made-up.ts', '// who told', 'told'],
    ['src/made-up.ts', '// what speaks for it', 'speaks for'],
    ['src/made-up.ts', "const stage = 'Opening'", 'stage'],
    ['src/made-up.ts', 'const sightings = []', 'sightings'],
    ['src/adapters/audit-log/made-up.ts', 'openStage()', 'stage'],
    ['CHANGELOG.md', '- `serve` tells more', 'tells'],
  ])('rejects in %s: %s', (path, line, word) => {
    expect(check(makeFile(path, line))).toEqual([expect.stringContaining(`${path}:1: "${word}" is called`)])
  })

  it('rejects a replaced word in the path of a file', () => {
    expect(check(makeFile('src/told.ts', ''))).toEqual([expect.stringContaining('src/told.ts:0: "told"')])
  })

  it.each([
    ['src/adapters/audit-log/made-up.ts', "timeAt(event, 'stageTimestamp')"],
    ['src/made-up.ts', "'select pod from sightings'"],
    ['src/made-up.ts', 'const toll = groundless'],
    ['CHANGELOG.md', '- `doctor -o json`: the field `mend` is now `fix`.'],
  ])('accepts in %s: %s', (path, line) => {
    expect(check(makeFile(path, line))).toEqual([])
  })
})
