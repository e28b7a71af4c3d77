import { readdirSync } from 'node:fs'
import path from 'node:path'
import { KNOWN_FLEETS } from './known-fleets.ts'

export type ReapFleet = { readonly name: string; readonly folder: string; readonly path: string }

const FOLDER = path.join(import.meta.dirname, 'reap')
const ARCHIVE = '.tar.gz'

/** Written for `reap`, by somebody who had not seen its rules. Their answers have a form of their own: reap-answers.test.ts. */
const OF_REAP: readonly ReapFleet[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(ARCHIVE))
  .map((file) => ({ name: file.slice(0, -ARCHIVE.length), folder: 'reap', path: path.join(FOLDER, file) }))

/** Every fleet that there is: none of their runners that has a job may ever be removed. */
export const ALL_FLEETS: readonly ReapFleet[] = [...OF_REAP, ...KNOWN_FLEETS]
