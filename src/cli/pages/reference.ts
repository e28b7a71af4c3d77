import { EXIT_MEANINGS } from '#/cli/frame/exit-code.ts'
import type { Command, CommandPath, Group, Leaf } from '#/cli/frame/command.ts'
import { pathName, visible } from '#/cli/frame/command.ts'
import type { FlagSet } from '#/cli/frame/flag.ts'
import { globalFlags, rootFlags } from '#/cli/frame/global-flags.ts'
import { commandRows, exitRows, flagRows, positionalRows, usage } from '#/cli/frame/help.ts'
import { markdownCell } from '#/cli/output/table.ts'

/** docs/cli.md: the help of every command on one page. */
export function commandReference(root: Group): string {
  return [
    '# The command line\n',
    '<!-- Generated from src/cli/*/command.ts; regenerate with: npx vitest run src/cli/pages/reference.test.ts -u -->\n',
    `${root.description}\n`,
    'Data goes to stdout, messages and progress to stderr, progress only to a terminal. `--flag value`, `--flag=value`, `-f value` and `-fvalue` mean the same; switches may be written together (`-qA`) and switched off (`--no-quiet`); `--` ends the flags.\n',
    'The launcher `bin/signalbox` uses the Node that `npm ci` installed in a checkout, otherwise the one on the PATH. It exits with 1 if none is new enough.\n',
    table(
      ['command', 'what it does'],
      commandRows(root.commands).map(([name, summary]) => [
        `[${name}](#${anchor([root.name, name].join(' '))})`,
        summary,
      ]),
    ),
    '## Global flags\n',
    flagTable({ ...globalFlags, ...rootFlags }),
    '## Exit codes\n',
    table(['code', 'meaning'], quoted(EXIT_MEANINGS.map(({ code: exitCode, meaning }) => [String(exitCode), meaning]))),
    ...visible(root.commands).flatMap((command) => sections([root, command])),
  ].join('\n')
}

function sections(path: CommandPath): readonly string[] {
  const command: Command = path.at(-1) ?? path[0]
  const head = [`## ${pathName(path)}\n`, `${command.description}\n`]
  if (command.kind === 'group') {
    return [...head, ...visible(command.commands).flatMap((child) => sections([...path, child]))]
  }
  return [...head, code('text', usage(path)), ...leafParts(command)]
}

function leafParts(leaf: Leaf): readonly string[] {
  return [
    ...(leaf.positionals.length === 0 ? [] : [table(['argument', 'what it is'], quoted(positionalRows(leaf)))]),
    ...(Object.keys(leaf.flags).length === 0 ? [] : [flagTable(leaf.flags)]),
    code('sh', leaf.examples.map(({ line, what }) => `# ${what}\n${line}`).join('\n')),
    table(['exit code', 'when'], quoted(exitRows(leaf))),
  ]
}

function flagTable(flags: FlagSet): string {
  return table(['flag', 'what it does'], quoted(flagRows(flags)))
}

function quoted(rows: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  return rows.map(([name, text]) => [`\`${name.trim()}\``, markdownCell(text)])
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return line(columns) + line(columns.map(() => '---')) + rows.map(line).join('')
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\`\n`
}

/** Like GitHub's heading anchors. */
function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-')
}
