import { resolve } from 'node:path'
import type { Problem } from '#/adapters/documents/problem.ts'
import { LARGEST_FLEET_FILE, checkFleet } from '#/adapters/fleet-file/check-fleet.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { fleetCheckFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Output } from '#/cli/output/print-output.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'

export async function run({ args, flags, terminal }: CommandContext<typeof fleetCheckFlags>): Promise<ExitCode> {
  const path = args[0] ?? ''
  const file = await readSmallFile(resolve(path), LARGEST_FLEET_FILE)
  if (file.kind !== 'read') {
    const why = file.kind === 'absent' ? 'no such file' : `it ${file.why}`
    throw new CommandFailure(EXIT.usage, `cannot read the fleet file: ${printable(path)}: ${why}`, [
      'see docs/fleet-file.md, or draft one: signalbox fleet init',
    ])
  }
  const check = checkFleet(file.text)
  await printOutput(
    terminal,
    flags.output,
    check.kind === 'right' ? renderValid(path, check.file) : renderMistakes(path, check.mistakes),
  )
  return check.kind === 'right' ? EXIT.ok : EXIT.failed
}

function renderValid(path: string, { lanes = [], nodePools = [], owners = [] }: FleetFile): Output {
  const counts = { lanes: lanes.length, nodePools: nodePools.length, owners: owners.length }
  return {
    data: { file: path, mistakes: [], ...counts },
    sections: [
      {
        text: `${printable(path)} is valid: ${counted(lanes.length, 'lane')}, ${counted(nodePools.length, 'node pool')}, ${counted(owners.length, 'owner')}`,
      },
    ],
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

const MOST_SHOWN = 100

function renderMistakes(path: string, mistakes: readonly Problem[]): Output {
  const shown = mistakes.map(({ line, column, message, advice }) => ({
    line,
    column,
    message: redact(message),
    advice: advice === null ? null : redact(advice),
  }))
  const lines = shown
    .slice(0, MOST_SHOWN)
    .map(({ line, column, message, advice }) =>
      printable(`${path}:${line}:${column}: ${message}${advice === null ? '' : `; ${advice}`}`),
    )
  const more = shown.length - lines.length
  return {
    data: { file: path, mistakes: shown },
    sections: [
      { text: [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n') },
      { text: counted(shown.length, 'mistake') },
    ],
  }
}
