import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** Bundles with known causes: `deaths` and `recorded` are recordings, `fresh` was written by people who had not seen the rules. */
const FOLDERS = ['deaths', 'fresh', 'recorded']
/** Written by people who had not seen the rules. Their verdicts are known; the properties under removal do not hold for all of them yet. */
const NEWEST_FOLDERS = ['fresh-2', 'fresh-3', 'fresh-4']

export type KnownBundle = {
  readonly name: string
  readonly archive: string
  readonly expected: ExpectedVerdict
}

export type ExpectedVerdict = {
  readonly cause: string
  readonly acceptable: readonly string[]
  readonly mustNotBe: readonly string[]
  /** A part of the verdict's actor. */
  readonly actor: string | null
  readonly maxConfidence: number | null
  readonly why: string
  /** What a careless rule would say, where one would. */
  readonly trap?: string | null
}

export const KNOWN_BUNDLES: readonly KnownBundle[] = FOLDERS.flatMap(readFolder)

export const JUDGED_BUNDLES: readonly KnownBundle[] = [...KNOWN_BUNDLES, ...NEWEST_FOLDERS.flatMap(readFolder)]

function readFolder(folder: string): readonly KnownBundle[] {
  const root = path.join(import.meta.dirname, folder)
  const names = readdirSync(root).filter((file) => file.endsWith('.tar.gz'))
  return names.map((file) => {
    const name = file.replace(/\.tar\.gz$/, '')
    const text = readFileSync(path.join(root, `${name}.expected.json`), 'utf8')
    return { name, archive: path.join(root, file), expected: JSON.parse(text) as ExpectedVerdict }
  })
}
