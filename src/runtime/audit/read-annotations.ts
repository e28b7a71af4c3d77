import { textAt } from '#/core/basics/fields.ts'
import type { JobAnnotations } from '#/core/fleet/snapshot.ts'
import { answerFor, blindByAnswer } from '#/core/evidence/bundle-source.ts'
import { blind, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'

const SOURCE = 'github/annotations'

/** What GitHub says of the jobs of a bundle. One that cannot be read makes the source blind: it may be the one that matters. */
export async function readAnnotations(bundle: Bundle): Promise<Observed<readonly JobAnnotations[]>> {
  const answer = answerFor(bundle.meta.sources, SOURCE)
  if (answer !== null && answer.kind !== 'looked') return blindByAnswer(answer)
  const jobs = bundle.paths.flatMap((path) => /^github\/annotations\/(\d{1,19})\.json$/.exec(path)?.[1] ?? [])
  if (jobs.length === 0 && answer === null) return blind('not-asked', `${SOURCE} was not collected`)
  const read: JobAnnotations[] = []
  for (const id of jobs) {
    const rows = await bundle.githubAnnotations(Number(id))
    if (rows.kind === 'blind') return rows
    const messages = rows.kind === 'seen' ? rows.value.flatMap((row) => textAt(row, 'message') ?? []) : []
    read.push({ job: Number(id), messages })
  }
  return seenList(read)
}
