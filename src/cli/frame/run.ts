import { AppFailure } from '#/app/part/failure.ts'
import { CommandFailure, toExitCode } from './command-failure.ts'
import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import { flagEntries } from './flag-entries.ts'
import type { Group } from './command.ts'
import type { FlagSet, FlagValues } from './flag.ts'
import type { Parsed, Values } from './parse.ts'
import { parse } from './parse.ts'
import type { Ask } from '#/cli/output/ask.ts'
import type { Sink } from '#/cli/output/sink.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import { openTerminal } from '#/cli/output/terminal.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import type { Stop } from './stop.ts'
import type { ConfigOutcome, ConfigRequest, LoadedConfig } from '#/config/load.ts'
import type { Clock } from '#/ports/clock.ts'

/** The process, as passed to the command line. */
export type Program = {
  readonly argv: readonly string[]
  readonly root: Group
  readonly stdout: Sink
  readonly stderr: Sink
  readonly terminalOptions: { readonly colour: boolean; readonly dumb: boolean }
  /** Null if stdin is not a terminal. */
  readonly ask?: Ask | null
  readonly workingFolder: string
  readonly stop: Stop
  readonly clock: Clock
  readonly loadConfig: (request: ConfigRequest) => Promise<ConfigOutcome>
}

export async function runCommandLine(program: Program): Promise<ExitCode> {
  const parsed = parse(program.argv, program.root)
  const terminal = terminalFor(program, parsed.kind === 'run' ? parsed.flags : {})
  try {
    return await perform(parsed, program, terminal)
  } catch (error) {
    const stopped = program.stop.exitCode()
    if (stopped === null) return report(error, terminal)
    terminal.detail(describe(error))
    return stopped
  }
}

function terminalFor({ stdout, stderr, terminalOptions: wishes, ask = null }: Program, flags: Values): Terminal {
  const terminal = openTerminal({
    stdout,
    stderr,
    colour: wishes.colour && flags['color'] !== false,
    dumb: wishes.dumb,
    quiet: flags['quiet'] === true,
    verbose: flags['verbose'] === true,
  })
  return { ...terminal, ask }
}

async function perform(parsed: Parsed, program: Program, terminal: Terminal): Promise<ExitCode> {
  switch (parsed.kind) {
    case 'usage': {
      const { usageFailure } = await import('./usage-failure.ts')
      throw usageFailure(parsed, parsed.path)
    }
    case 'help': {
      const { showHelp } = await import('./show-help.ts')
      showHelp(terminal, parsed.path)
      return EXIT.ok
    }
    case 'version': {
      const { ownPackage } = await import('#/adapters/files/own-package.ts')
      terminal.data(`signalbox ${ownPackage().version}\n`)
      return EXIT.ok
    }
    case 'run':
      return performLeaf(parsed, program, terminal)
  }
}

async function performLeaf(
  { leaf, path, flags, args }: Parsed & { kind: 'run' },
  program: Program,
  terminal: Terminal,
): Promise<ExitCode> {
  const { stop, clock } = program
  const handler = await leaf.load()
  let loaded: Promise<LoadedConfig> | undefined
  const config = (): Promise<LoadedConfig> => {
    const file = typeof flags['config'] === 'string' ? flags['config'] : undefined
    loaded ??= loadOrFail(program, { file, flags: flagEntries(leaf, flags), workingFolder: program.workingFolder })
    return loaded
  }
  // Safe: the parser filled them from this leaf's own flags.
  const own = flags as FlagValues<FlagSet>
  const exitCode = await handler.run({ flags: own, args, path, terminal, signal: stop.signal, clock, config })
  return leaf.untilStopped === true ? exitCode : (stop.exitCode() ?? exitCode)
}

async function loadOrFail(program: Program, request: ConfigRequest): Promise<LoadedConfig> {
  const outcome = await program.loadConfig(request)
  if (outcome.kind === 'valid') return outcome
  const lines = outcome.problems.map(({ where, message, meant }) => {
    const hint = meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`
    return `${where}: ${message}${hint}`
  })
  throw new CommandFailure(EXIT.usage, 'the configuration is invalid', [...lines, 'see: signalbox config schema'])
}

function report(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof AppFailure) {
    terminal.error(printable(redact(error.message)))
    for (const line of error.next) terminal.hint(printable(redact(line)))
    return toExitCode(error)
  }
  terminal.error(printable(redact(error instanceof Error ? error.message : String(error))))
  terminal.detail(describe(error))
  terminal.hint('this is a bug of signalbox: please report it; -v shows the stack trace')
  return EXIT.failed
}

function describe(error: unknown): string {
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
