import { printable } from '#/cli/output/printable.ts'
import type { Style, Tone } from '#/cli/output/style.ts'
import { plain } from '#/cli/output/style.ts'
import { padEnd, textWidth } from '#/cli/output/text-width.ts'

export type Table = {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Null is shown as `<none>`, like kubectl: an empty cell would look like a missing column. */
export type Cell = string | number | null | { readonly text: string; readonly tone: Tone }

const GAP = '   '

/** Columns like kubectl: upper case, three spaces between, the last one not padded. */
export function renderTable(table: Table, style: Style = plain): string {
  const header: readonly Cell[] = table.columns.map((column) => ({ text: column.toUpperCase(), tone: 'bold' }))
  const rows = [header, ...table.rows]
  const widths = table.columns.map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(cellText(row[index]))), 0),
  )
  return rows.map((row) => `${renderRow(row, widths, style)}\n`).join('')
}

function renderRow(row: readonly Cell[], widths: readonly number[], style: Style): string {
  return widths
    .map((width, index) => {
      const text = cellText(row[index])
      const padded = index === widths.length - 1 ? text : padEnd(text, width)
      const tone = cellTone(row[index])
      return tone === null ? padded : style(tone, text) + padded.slice(text.length)
    })
    .join(GAP)
    .trimEnd()
}

export function markdownTable(table: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  const rows = table.rows.map((row) => line(table.columns.map((_, index) => markdownCell(cellText(row[index])))))
  return line(table.columns) + line(table.columns.map(() => '---')) + rows.join('')
}

export function markdownCell(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** In a list item: nothing that a chat would take for a mark, a mention or a link. */
export function markdownText(text: string): string {
  return text.replaceAll(/[\\`*_<[\]]/g, String.raw`\$&`)
}

function cellText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '<none>'
  return printable(typeof cell === 'object' ? cell.text : String(cell))
}

function cellTone(cell: Cell | undefined): Tone | null {
  return typeof cell === 'object' && cell !== null ? cell.tone : null
}
