import { listAt } from '#/core/basics/fields.ts'
import { readEnv } from './runner-template.ts'

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh'])

/** They start their arguments as a command and forward signals to it. */
const WRAPPERS: ReadonlySet<string> = new Set(['tini', 'dumb-init', 'catatonit', 'env', 'busybox', 'nice', 'nohup'])

/** The runner's own script traps signals: the official image, and images built on it, set the variable. */
const OFFICIAL = 'run.sh'

export const TRAP_VARIABLE = 'RUNNER_MANUALLY_TRAP_SIG'

/** Describes what keeps SIGTERM from the runner; null if nothing does. */
export function untrapped(container: unknown): string | null {
  if (readEnv(container, TRAP_VARIABLE).kind !== 'absent') return null
  const argv = skipWrappers(readCommand(container))
  const [first] = argv
  if (first === undefined) return null
  if (!SHELLS.has(baseName(first))) return isOwnScript(first) ? `its command is the script ${first}` : null
  const { text, file } = readShell(argv.slice(1))
  if (text !== null) return forwardsSignals(text) ? null : `its command is ${baseName(first)} -c without exec`
  return file !== null && isOwnScript(file) ? `its command is ${baseName(first)} with the script ${file}` : null
}

/** Arguments without a command go to the image's entrypoint, which is unknown, unless they begin with a shell. */
function readCommand(container: unknown): readonly string[] {
  const command = listAt(container, 'command').filter((arg) => typeof arg === 'string')
  const args = listAt(container, 'args').filter((arg) => typeof arg === 'string')
  if (command.length > 0) return [...command, ...args]
  return SHELLS.has(baseName(args[0] ?? '')) ? args : []
}

function skipWrappers(argv: readonly string[]): readonly string[] {
  let rest = argv
  while (WRAPPERS.has(baseName(rest[0] ?? ''))) {
    const next = rest.slice(1).findIndex((arg) => !arg.startsWith('-') && !/^\w+=/.test(arg))
    if (next === -1) return []
    rest = rest.slice(next + 1)
  }
  return rest
}

/** `-c`, alone or combined (`-ec`, `-lc`), takes the next argument as its script; `-o` takes a name. */
function readShell(argv: readonly string[]): { readonly text: string | null; readonly file: string | null } {
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? ''
    if (!/^[-+]/.test(arg)) return { text: null, file: arg }
    if (/^-[a-z]*c[a-z]*$/i.test(arg)) return { text: argv[index + 1] ?? '', file: null }
    if (/^[-+][a-z]*o$/.test(arg)) index += 1
  }
  return { text: null, file: null }
}

/** `exec` in command position; an `exec` with only a redirection does not replace the shell. */
const EXEC = /(?:^|[\n;&|({]|\b(?:then|do|else)\s)[ \t]*exec[ \t]+(?!\d?[<>&])\S/
const TRAP = /(?:^|[;&|({]|\b(?:then|do|else)\s)[ \t]*trap[ \t]/
const END_SIGNAL = /\b(?:SIG)?(?:TERM|INT|EXIT)\b/

function forwardsSignals(text: string): boolean {
  // Two tests per line: one combined pattern would backtrack over a long line for every trap in it.
  const traps = text.split('\n').some((line) => TRAP.test(line) && END_SIGNAL.test(line))
  return traps || EXEC.test(text) || text.includes(TRAP_VARIABLE)
}

function isOwnScript(path: string): boolean {
  const name = baseName(path)
  return name !== OFFICIAL && /\.(?:sh|bash)$/.test(name)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
