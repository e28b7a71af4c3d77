import { systemClock } from '#/adapters/clock.ts'
import { root } from '#/cli/commands.ts'
import { runCommandLine } from '#/cli/frame/run.ts'
import { loadConfig, readTerminalOptions } from '#/config/load.ts'
import type { Clock } from '#/ports/clock.ts'

/** As src/main.ts, with a clock that is ahead by as much as the command would have waited. */
const { signal } = new AbortController()
let aheadMs = 0
const clock: Clock = {
  now: () => Date.now() + aheadMs,
  sleep: async (ms, given) => {
    if (given === signal) aheadMs += ms
    else await systemClock.sleep(ms, given)
  },
}

process.exit(
  await runCommandLine({
    argv: process.argv.slice(2),
    root,
    stdout: process.stdout,
    stderr: process.stderr,
    terminalOptions: readTerminalOptions(),
    ask: null,
    workingFolder: process.cwd(),
    stop: { signal, exitCode: () => null },
    clock,
    loadConfig,
  }),
)
