import { closeSync, openSync, readFileSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'

import { packFolder } from '#/adapters/bundle/pack-folder.ts'
import { growEvents, growJournal, growLog } from './grow-evidence.ts'
import { RECORDED, unpackRecording } from './recording.ts'

const LOG_BYTES = 256 * 1024
export const JOURNAL_BYTES = 200_000_000
const EVENTS = 50_000

export type WhyBundle = { readonly what: string; readonly path: string; readonly hasLargeJournal: boolean }

/** The recorded death, and the same with one of its sources grown to the size of an incident. */
export async function makeWhyBundles(root: string): Promise<readonly WhyBundle[]> {
  const at = (name: string): string => path.join(root, name)
  const journal = await withLargeJournal(at('journal'))
  return [
    { what: 'the recording as it is', path: await unpackRecording(at('recording')), hasLargeJournal: false },
    { what: 'a log tail of 256 KiB', path: await withLongLog(at('tail')), hasLargeJournal: false },
    { what: 'a journal of 200 MB', path: journal, hasLargeJournal: true },
    { what: 'a journal of 200 MB in a .tar.gz', path: await packed(journal), hasLargeJournal: true },
    { what: '50,000 events', path: await withManyEvents(at('events')), hasLargeJournal: false },
  ]
}

async function withLongLog(folder: string): Promise<string> {
  const file = path.join(await unpackRecording(folder), RECORDED.log)
  writeFileSync(file, growLog(readFileSync(file, 'utf8'), LOG_BYTES))
  return folder
}

async function withManyEvents(folder: string): Promise<string> {
  const file = path.join(await unpackRecording(folder), RECORDED.events)
  writeFileSync(file, growEvents(readFileSync(file, 'utf8'), EVENTS, RECORDED.pod))
  return folder
}

async function withLargeJournal(folder: string): Promise<string> {
  const file = path.join(await unpackRecording(folder), RECORDED.journal)
  const recorded = readFileSync(file, 'utf8')
  const out = openSync(file, 'w')
  const begins = growJournal(recorded, JOURNAL_BYTES, RECORDED.pod, (piece) => writeSync(out, piece))
  closeSync(out)
  const meta = path.join(folder, 'meta.json')
  const from = `"from": "${new Date(begins).toISOString()}"`
  writeFileSync(meta, readFileSync(meta, 'utf8').replace(/(?<="journal": \{[^}]*)"from": "[^"]*"/, from))
  return folder
}

async function packed(folder: string): Promise<string> {
  const archive = `${folder}.tar.gz`
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(path.join(folder, file)).isFile(),
  )
  const sized = files.map((file) => ({ path: file, size: statSync(path.join(folder, file)).size, mtimeMs: 0 }))
  await packFolder(folder, archive, sized, AbortSignal.timeout(300_000))
  return archive
}
