import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { gatherJournal, observeJournal } from '#/adapters/journal/gather-journal.ts'
import type { JournalFormat } from '#/adapters/journal/journal-format.ts'
import type { JournalReading, JournalWindow } from '#/ports/journal.ts'
import type { SourceReader } from './source-reader.ts'

const MAX_LINES = 2_000_000

/** JSON says more than text; text is read where there is no JSON, or none that can be read. */
export async function readJournal(
  reader: SourceReader,
  node: string,
  window: JournalWindow,
): Promise<Observed<JournalReading>> {
  const json = await readAs(reader, bundlePath.journalJson(node), 'json', window)
  const textPath = bundlePath.journalText(node)
  return json.kind === 'blind' && reader.paths.includes(textPath) ? readAs(reader, textPath, 'short-iso', window) : json
}

function readAs(
  reader: SourceReader,
  path: string,
  format: JournalFormat,
  window: JournalWindow,
): Promise<Observed<JournalReading>> {
  return reader.stream(path, async (chunks) => {
    const reading = await gatherJournal(chunks, { format, window, maxLines: MAX_LINES })
    const gaps = reading.gaps.map(({ code, detail }) => ({ code, detail: `${path}: ${detail}` }))
    return observeJournal({ ...reading, gaps })
  })
}
