import { closeSync, openSync, readSync } from 'node:fs'

import { logScanner } from '#/core/evidence/find-clues.ts'
import { SIGNATURES } from '#/signatures/index.ts'

/** Its own program, so that its start and the warming of its code count as they do for ripgrep. */
const CHUNK_BYTES = 1024 * 1024
const LINE_FEED = 0x0a

const scan = logScanner(SIGNATURES)
const log = openSync(process.argv[2] ?? '', 'r')
const buffer = Buffer.alloc(2 * CHUNK_BYTES)
let held = 0
let found = 0
for (;;) {
  const read = readSync(log, buffer, held, CHUNK_BYTES, null)
  const filled = held + read
  const whole = read === 0 ? filled : buffer.lastIndexOf(LINE_FEED, filled - 1) + 1
  scan(buffer.subarray(0, whole), null, () => {
    found += 1
  })
  if (read === 0) break
  buffer.copyWithin(0, whole, filled)
  held = filled - whole
}
closeSync(log)
console.log(found)
