import { systemClock } from '#/adapters/clock.ts'
import { root } from '#/cli/commands.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { runCommandLine } from '#/cli/frame/run.ts'
import { askOnTerminal } from '#/cli/output/ask.ts'
import { watchForStop } from '#/cli/frame/stop.ts'
import { loadConfig, readTerminalOptions } from '#/config/load.ts'

const stop = watchForStop(process)
// A fault outside every promise that somebody awaits. Nothing can be trusted after it.
process.on('uncaughtException', (error) => {
  process.stderr.write(`signalbox: ${redact(error.stack ?? error.message)}\n`)
  process.exit(EXIT.failed)
})

const exitCode = await runCommandLine({
  argv: process.argv.slice(2),
  root,
  stdout: process.stdout,
  stderr: process.stderr,
  terminalOptions: readTerminalOptions(),
  ask: askOnTerminal(process.stdin, process.stderr),
  workingFolder: process.cwd(),
  stop,
  clock: systemClock,
  loadConfig,
})

// What a command left open must not keep the process alive, and what it wrote must be out first.
await Promise.all([process.stdout, process.stderr].map(flushed))
const stopped = stop.exitCode()
process.exit(stopped === EXIT.pipeClosed || stopped === EXIT.failed ? stopped : exitCode)

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}
