import { EXIT_MEANINGS } from './exit-code.ts'
import type { Command, CommandPath, Leaf, Positional } from './command.ts'
import { pathName, visible } from './command.ts'
import type { Flag, FlagSet } from './flag.ts'
import { globalFlags, rootFlags } from './global-flags.ts'
import { spelling } from './vocabulary.ts'
import type { Style } from '#/cli/output/style.ts'
import { plain } from '#/cli/output/style.ts'
import { wrap } from '#/cli/output/wrap.ts'

type Row = readonly [string, string]
export type HelpOptions = { readonly columns: number; readonly style?: Style }

export function help(path: CommandPath, { columns, style = plain }: HelpOptions): string {
  const command: Command = path.at(-1) ?? path[0]
  const heading = (title: string): string => `\n${style('bold', `${title}:`)}\n`
  const rows = (title: string, list: readonly Row[]): string =>
    list.length === 0 ? '' : heading(title) + twoColumns(list, columns)
  return [
    `${wrap(command.description, columns)}\n`,
    `${heading('Usage')}  ${usage(path)}\n`,
    command.kind === 'group' ? rows('Commands', commandRows(command.commands)) : leafRows(command, rows),
    command.kind === 'leaf' ? exampleText(command, heading('Examples')) : '',
    rows('Global flags', flagRows(path.length === 1 ? { ...globalFlags, ...rootFlags } : globalFlags)),
    command.kind === 'leaf' ? rows('Exit codes', exitRows(command)) : '',
    command.kind === 'group'
      ? `\nHelp for a command: ${pathName([path[0]])} help ${[...path.slice(1).map(({ name }) => name), 'COMMAND'].join(' ')}\n`
      : '',
  ].join('')
}

function leafRows(leaf: Leaf, rows: (title: string, list: readonly Row[]) => string): string {
  return rows('Arguments', positionalRows(leaf)) + rows('Flags', flagRows(leaf.flags))
}

export function positionalRows(leaf: Leaf): readonly Row[] {
  return leaf.positionals.map(({ name, summary, choices }): Row => [name, withChoices(summary, choices)])
}

function exampleText(leaf: Leaf, heading: string): string {
  const lines = leaf.examples.map(({ line, what }) => `  # ${what}\n  ${line}\n`)
  return lines.length === 0 ? '' : heading + lines.join('\n')
}

export function usage(path: CommandPath): string {
  const last: Command = path.at(-1) ?? path[0]
  const tail = last.kind === 'group' ? ['COMMAND'] : last.positionals.map(positionalUsage)
  return [pathName(path), ...tail, '[flags]'].join(' ')
}

function positionalUsage({ name, required, repeatable }: Positional): string {
  const many = repeatable === true ? `${name}...` : name
  return required ? many : `[${many}]`
}

export function commandRows(commands: readonly Command[]): readonly Row[] {
  return visible(commands).map(({ name, summary }): Row => [name, summary])
}

export function flagRows(flags: FlagSet): readonly Row[] {
  return Object.entries(flags).map(([name, flag]): Row => [flagUsage(name, flag), flagText(flag)])
}

export function exitRows(leaf: Leaf): readonly Row[] {
  return EXIT_MEANINGS.flatMap(({ code }): readonly Row[] => {
    const when = leaf.exitCodes[code]
    return when === undefined ? [] : [[String(code), when]]
  })
}

function flagUsage(name: string, flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  return `${short}${spelling(name, flag)}${flag.kind === 'option' ? ` ${flag.value}` : ''}`
}

function flagText(flag: Flag): string {
  if (flag.kind === 'switch') return flag.summary
  return withChoices(flag.summary, flag.choices) + (flag.default === undefined ? '' : ` (default ${flag.default})`)
}

function withChoices(summary: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? summary : `${summary}: ${choices.join(', ')}`
}

function twoColumns(rows: readonly Row[], columns: number): string {
  const left = Math.max(...rows.map(([name]) => name.length))
  const indent = ' '.repeat(left + 5)
  return rows
    .map(
      ([name, text]) =>
        `  ${name.padEnd(left)}   ${wrap(text, columns - indent.length).replaceAll('\n', `\n${indent}`)}\n`,
    )
    .join('')
}
