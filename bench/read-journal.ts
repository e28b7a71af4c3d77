import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { listLiterals } from '#/core/evidence/find-clues.ts'
import { JOURNAL_STREAMS } from '#/ports/journal.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { RECORDED } from './recording.ts'

/** What one reading of the journal of a bundle took. */
export type JournalRun = {
  readonly seconds: number
  /** The memory of the program before it. */
  readonly megabytesBefore: number
  readonly lines: number
  readonly kept: number
}

/** Its own program, so that its memory is its own. Reads what `why` reads: lines that a signature may know, or that name the pod. */
const opening = await openBundle(process.argv[2] ?? '', BUNDLE_LIMITS, new AbortController().signal)
if (opening.kind === 'refused') throw new Error(opening.why)
await using bundle = opening.bundle
const megabytesBefore = process.memoryUsage.rss() / 1e6
const start = performance.now()
const mentions = [...listLiterals(SIGNATURES, JOURNAL_STREAMS), RECORDED.pod]
const journal = await bundle.journal(RECORDED.node, { mentions })
const seconds = (performance.now() - start) / 1000
if (journal.kind !== 'seen') throw new Error(`the journal is ${journal.kind}`)
const { lines, digest } = journal.value
const run: JournalRun = { seconds, megabytesBefore, lines: digest.lines, kept: lines.length }
console.log(JSON.stringify(run))
