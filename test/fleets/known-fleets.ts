import { readFileSync, readdirSync, existsSync } from 'node:fs'
import path from 'node:path'

/** Fleets with expected findings: `arc` are recordings of a real ARC, `fresh`, `fresh-2` and `fresh-3` were written by people who had not seen the rules, `written` are ours. */
export const FLEET_FOLDERS = ['arc', 'fresh', 'fresh-2', 'fresh-3', 'written'] as const

export type KnownFleet = {
  readonly name: string
  readonly folder: (typeof FLEET_FOLDERS)[number]
  readonly path: string
  readonly expected: readonly ExpectedAudit[]
}

/** What one audit must report for a fleet, and what it must not. Subjects are names. */
export type ExpectedAudit = {
  readonly audit: string
  readonly mustReport?: readonly ExpectedFinding[]
  readonly mustNotReport?: readonly string[]
  readonly mustNotReportOn?: readonly { readonly class: string; readonly subject: string }[]
  readonly maxSeverity?: 'info' | 'warning' | 'critical'
  readonly exitCode?: number
  /** The runner to ask about (`network`). */
  readonly runner?: string
  readonly why: string
  /** The public thread that the case was rebuilt from. */
  readonly source?: string
}

export type ExpectedFinding = {
  readonly class: string
  readonly subject?: string
  readonly severity?: string
  /** Other fields by path, for example `subject.line`. */
  readonly fields?: Readonly<Record<string, unknown>>
}

const ARCHIVE = '.tar.gz'

/** An archive next to its expected findings, or (while it is being written) a folder that contains them. */
export const KNOWN_FLEETS: readonly KnownFleet[] = FLEET_FOLDERS.flatMap((folder) => {
  const root = path.join(import.meta.dirname, folder)
  if (!existsSync(root)) return []
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(ARCHIVE))
    .map((entry) => {
      const own = path.join(root, entry.name)
      const name = entry.name.replace(/\.tar\.gz$/, '')
      const answer = entry.isDirectory() ? path.join(own, 'expected.json') : path.join(root, `${name}.expected.json`)
      const document: unknown = JSON.parse(readFileSync(answer, 'utf8'))
      const expected = (Array.isArray(document) ? document : [document]) as readonly ExpectedAudit[]
      return { name, folder, path: own, expected }
    })
})
