import type { Style } from './style.ts'
import type { Table } from './table.ts'
import { markdownTable, renderTable } from './table.ts'
import type { Terminal } from './terminal.ts'

export type OutputFormat = 'table' | 'wide' | 'text' | 'json' | 'yaml' | 'markdown'

/** One result for people and for programs. */
export type Output = {
  /** For programs; `schemaVersion` is added. */
  readonly data: Readonly<Record<string, unknown>>
  /** For people, in order. */
  readonly sections: readonly Section[]
}
export type Section = {
  readonly title?: string
  readonly table?: Table
  readonly text?: string
  /** Text with colours, for a terminal. */
  readonly styled?: (style: Style) => string
  /** The section in Markdown, where a table would be hard to read in a chat. */
  readonly markdown?: string | (() => string)
}

/** Raised only for changes that break programs that read the output. */
const SCHEMA_VERSION = 1

export async function printOutput(terminal: Terminal, format: OutputFormat, output: Output): Promise<void> {
  terminal.data(await render(terminal, format, output))
}

async function render(terminal: Terminal, format: OutputFormat, output: Output): Promise<string> {
  const document = { schemaVersion: SCHEMA_VERSION, ...output.data }
  switch (format) {
    case 'json':
      return `${JSON.stringify(document, null, 2)}\n`
    case 'yaml': {
      const { stringify } = await import('yaml')
      return stringify(document, { lineWidth: 0 })
    }
    case 'markdown':
      return output.sections.map(markdownSection).join('\n')
    case 'table':
    case 'wide':
    case 'text':
      return output.sections.map((section) => textSection(section, terminal)).join('\n')
  }
}

function textSection({ title, table, styled, text }: Section, { style }: Terminal): string {
  return [
    title === undefined ? '' : `${style('bold', title)}\n`,
    table === undefined ? '' : renderTable(table, style),
    styled === undefined ? '' : styled(style),
    text === undefined ? '' : `${text}\n`,
  ].join('')
}

function markdownSection({ title, table, text, markdown }: Section): string {
  if (markdown !== undefined) return typeof markdown === 'string' ? markdown : markdown()
  return [
    title === undefined ? '' : `## ${title}\n\n`,
    table === undefined ? '' : markdownTable(table),
    text === undefined ? '' : `${text}\n`,
  ].join('')
}
