import { chdir, cwd as currentFolder, env as variables } from 'node:process'
import { systemClock } from '#/adapters/clock.ts'
import { root } from '#/cli/commands.ts'
import { runCommandLine } from '#/cli/frame/run.ts'
import type { Sink } from '#/cli/output/sink.ts'
import { loadConfig, readTerminalOptions } from '#/config/load.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Ran } from './run-signalbox.ts'
import { cleanEnvironment, repository } from './run-signalbox.ts'

let last: Promise<unknown> = Promise.resolve()

/**
 * The command line without its process: what `bin/signalbox` answers, in a tenth of the time. Launcher, signals, pipes and
 * exit are tested on the real program. Folder and environment belong to the whole process, so runs wait for each other.
 */
export async function runInProcess(
  args: readonly string[],
  { env = {}, cwd = repository, ...manner }: Surroundings & Manner = {},
): Promise<Ran> {
  const mine = last.then(async () => {
    using _ = surroundings(cleanEnvironment(env), cwd)
    return await run(args, manner)
  })
  last = mine.catch(() => undefined)
  return await mine
}

type Surroundings = { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string }
type Manner = {
  /** As if stdin were a terminal, on which this is typed. */
  readonly answer?: string
  readonly clock?: Clock
  readonly signal?: AbortSignal
  /** Called with each piece of stderr as it is written. */
  readonly onStderr?: (text: string) => void
}

async function run(args: readonly string[], { answer, clock = systemClock, signal, onStderr }: Manner): Promise<Ran> {
  const [stdout, stderr] = [new Written(), new Written(onStderr)]
  const code = await runCommandLine({
    argv: args,
    root,
    stdout,
    stderr,
    terminalOptions: readTerminalOptions(),
    workingFolder: currentFolder(),
    stop: { signal: signal ?? new AbortController().signal, exitCode: () => (signal?.aborted === true ? 130 : null) },
    ask: answer === undefined ? null : async (question) => (stderr.write(question), answer),
    clock,
    loadConfig,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** What was written, as the other end of a pipe reads it. */
class Written implements Sink {
  readonly #parts: Buffer[] = []
  readonly #onWrite: (text: string) => void

  constructor(onWrite: (text: string) => void = () => undefined) {
    this.#onWrite = onWrite
  }

  write(text: string, encoding?: 'latin1'): void {
    this.#parts.push(Buffer.from(text, encoding))
    this.#onWrite(text)
  }

  text(): string {
    return Buffer.concat(this.#parts).toString('utf8')
  }
}

/** Variables are set one by one: some are read below JavaScript. */
function surroundings(wanted: Readonly<Record<string, string>>, folder: string): Disposable {
  const before = { folder: currentFolder(), variables: { ...variables } }
  replaceVariables(wanted)
  chdir(folder)
  return {
    [Symbol.dispose]: () => {
      chdir(before.folder)
      replaceVariables(before.variables)
    },
  }
}

function replaceVariables(wanted: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(variables)) if (wanted[name] === undefined) delete variables[name]
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) variables[name] = value
}
