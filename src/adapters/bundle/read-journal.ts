import { observeLines } from '#/core/bundle-lines.ts'
import type { Lines } from '#/core/bundle-lines.ts'
import { bundlePath } from '#/core/bundle-path.ts'
import type { Observed } from '#/core/observed.ts'
import { gatherJournal } from '#/adapters/journal/gather-journal.ts'
import type { JournalFormat } from '#/adapters/journal/gather-journal.ts'
import type { JournalLine, JournalWindow } from '#/ports/journal.ts'
import type { SourceReader } from './source-reader.ts'

const MAX_LINES = 2_000_000

/** JSON says more than text; text is read where there is no JSON, or none that can be read. */
export async function readJournal(
  reader: SourceReader,
  node: string,
  window: JournalWindow,
): Promise<Observed<Lines<JournalLine>>> {
  const json = await readAs(reader, bundlePath.journalJson(node), 'json', window)
  const textPath = bundlePath.journalText(node)
  return json.kind === 'blind' && reader.paths.includes(textPath) ? readAs(reader, textPath, 'short-iso', window) : json
}

function readAs(
  reader: SourceReader,
  path: string,
  format: JournalFormat,
  window: JournalWindow,
): Promise<Observed<Lines<JournalLine>>> {
  return reader.stream(path, async (chunks) => {
    const { lines, gaps } = await gatherJournal(chunks, { format, window, maxLines: MAX_LINES })
    return observeLines(
      lines,
      gaps.map(({ code, detail }) => ({ code, detail: `${path}: ${detail}` })),
    )
  })
}
