import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { seedChance } from '#test/bundles/mutate-chance.ts'
import type { Chance } from '#test/bundles/mutate-chance.ts'
import { CI_LINES } from './ci-lines.ts'

/**
 * Ordinary logs of CI, as many bytes as wanted: the journals, logs and documents of our recordings, lockfiles, the history
 * of this repository as `git log -p` prints it, lists of checksums, files that the caller names, and lines that build
 * tools print. Every round draws new hashes, ids and times. None of it holds a credential.
 */
export function* ciLogs(bytes: number, further: readonly string[]): Generator<string> {
  const chance = seedChance(12)
  const sources = readSources(further)
  let written = 0
  while (written < bytes) {
    for (const { name, text } of sources) {
      const piece = name === 'build tools' ? toolLines(chance) : varied(text, chance)
      yield piece
      written += piece.length
      if (written >= bytes) return
    }
  }
}

const ROOT = fileURLToPath(import.meta.resolve('../'))
const MOST_OF_ONE = 4 * 1024 * 1024

type Source = { readonly name: string; readonly text: string }

function readSources(further: readonly string[]): readonly Source[] {
  const tools = { name: 'build tools', text: '' }
  const files = [
    ...globSync('test/bundles/recordings/**/*.{log,txt}', { cwd: ROOT }),
    ...globSync('node_modules/*/{package.json,CHANGELOG.md,README.md}', { cwd: ROOT }).slice(0, 600),
    'package-lock.json',
  ].map((file) => path.join(ROOT, file))
  const texts = [...files, ...further].flatMap((file) => readText(file))
  const history = execFileSync('git', ['log', '-p', '-n', '40'], { cwd: ROOT, maxBuffer: 1 << 30 }).toString('utf8')
  const found = [
    ...texts,
    { name: 'git log -p', text: shortened(history) },
    { name: 'checksums', text: checksums(files) },
  ]
  return found.flatMap((source) => [source, tools])
}

function readText(file: string): readonly Source[] {
  const isUsable = statSync(file, { throwIfNoEntry: false })?.isFile() === true
  return isUsable ? [{ name: file, text: shortened(readFileSync(file, 'utf8')) }] : []
}

function shortened(text: string): string {
  return text.length <= MOST_OF_ONE ? text : text.slice(0, text.lastIndexOf('\n', MOST_OF_ONE) + 1)
}

/** As `sha256sum` and `sha512sum` print them, and in base64 as lockfiles have them. */
function checksums(files: readonly string[]): string {
  const rows = files.flatMap((file) => {
    const digest = (algorithm: string) => createHash(algorithm).update(file)
    const name = path.relative(ROOT, file)
    return [
      `${digest('sha256').digest('hex')}  ${name}`,
      `${digest('sha512').digest('hex')} *${name}`,
      `${name} h1:${digest('sha256').digest('base64')}`,
      `  integrity sha512-${digest('sha512').digest('base64')}`,
    ]
  })
  return `${rows.join('\n')}\n`
}

const CHANGING = /\b(?:[0-9a-f]{7,128}|\d{2}:\d{2}:\d{2}(?:\.\d+)?)\b/g

function varied(text: string, chance: Chance): string {
  return text.replaceAll(CHANGING, (value) =>
    value.includes(':')
      ? `${drawn(chance, 2, '012345')}${value.slice(2)}`
      : drawn(chance, value.length, '0123456789abcdef'),
  )
}

export function drawn(chance: Chance, length: number, letters: string): string {
  let text = ''
  while (text.length < length) text += letters.charAt(chance.int(letters.length))
  return text
}

const TOOL_LINES = 4000

function toolLines(chance: Chance): string {
  const lines = Array.from({ length: TOOL_LINES }, () => chance.pick(CI_LINES)(chance))
  return `${lines.join('\n')}\n`
}
