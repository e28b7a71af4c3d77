import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'

import { clueFinder } from '#/core/evidence/find-clues.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { ofAnotherPod, repeatLines } from './grow-evidence.ts'
import { RECORDED, unpackRecording } from './recording.ts'

export type BenchLog = { readonly what: string; readonly file: string }

/** What a node's kernel and its daemons logged, as plain text, and the same without the lines that match a signature. */
export async function makeLogs(root: string, bytes: number): Promise<readonly BenchLog[]> {
  const folder = await unpackRecording(path.join(root, 'recording'))
  const journal = readFileSync(path.join(folder, RECORDED.journal), 'utf8').trimEnd().split('\n')
  const messages = journal.map((line) => (JSON.parse(line) as { readonly MESSAGE: string }).MESSAGE)
  const find = clueFinder(SIGNATURES)
  const silent = messages.filter((text) => find({ text, stream: null }).length === 0)
  const matching = Math.round((1 - silent.length / messages.length) * 100)
  return [
    { what: 'lines without a clue', file: write(path.join(root, 'silent.log'), silent, bytes) },
    {
      what: `as recorded, ${matching} % with a clue`,
      file: write(path.join(root, 'recorded.log'), messages, bytes),
    },
  ]
}

function write(file: string, lines: readonly string[], bytes: number): string {
  const out = openSync(file, 'w')
  const change = (line: string, number: number): string => ofAnotherPod(line, number, RECORDED.pod)
  repeatLines(lines, bytes, change, (piece) => writeSync(out, piece))
  closeSync(out)
  return file
}
