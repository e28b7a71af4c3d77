import type { CommandPath } from './command.ts'
import { help } from './help.ts'
import type { Terminal } from '#/cli/output/terminal.ts'

/** Longer lines are hard to read. */
const WIDEST = 100

export function showHelp(terminal: Terminal, path: CommandPath): void {
  terminal.data(help(path, { columns: Math.min(terminal.columns ?? WIDEST, WIDEST), style: terminal.style }))
}
