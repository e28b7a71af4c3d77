import { listAt } from '#/core/basics/fields.ts'
import { envOf } from './runner-template.ts'

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh'])

/** They start what follows and pass signals on to it: what follows is the command. */
const WRAPPERS: ReadonlySet<string> = new Set(['tini', 'dumb-init', 'catatonit', 'env', 'busybox', 'nice', 'nohup'])

/** The runner's own script, which traps by itself: the official image sets the variable for it, and others are built on that. */
const OFFICIAL = 'run.sh'

export const TRAP_VARIABLE = 'RUNNER_MANUALLY_TRAP_SIG'

/** What keeps a signal from the runner, for people; null where nothing is seen to. */
export function untrapped(container: unknown): string | null {
  if (envOf(container, TRAP_VARIABLE).kind !== 'absent') return null
  const words = unwrapped(wordsOf(container))
  const [first] = words
  if (first === undefined) return null
  if (!SHELLS.has(baseName(first))) return isOwnScript(first) ? `its command is the script ${first}` : null
  const { text, file } = readShell(words.slice(1))
  if (text !== null) return handsOver(text) ? null : `its command is ${baseName(first)} -c without exec`
  return file !== null && isOwnScript(file) ? `its command is ${baseName(first)} with the script ${file}` : null
}

/** Arguments without a command go to what the image starts, which nobody here knows, unless they begin with a shell. */
function wordsOf(container: unknown): readonly string[] {
  const command = listAt(container, 'command').filter((word) => typeof word === 'string')
  const args = listAt(container, 'args').filter((word) => typeof word === 'string')
  if (command.length > 0) return [...command, ...args]
  return SHELLS.has(baseName(args[0] ?? '')) ? args : []
}

function unwrapped(words: readonly string[]): readonly string[] {
  let rest = words
  while (WRAPPERS.has(baseName(rest[0] ?? ''))) {
    const next = rest.slice(1).findIndex((word) => !word.startsWith('-') && !/^\w+=/.test(word))
    if (next === -1) return []
    rest = rest.slice(next + 1)
  }
  return rest
}

/** `-c`, alone or among others (`-ec`, `-lc`), takes its text from the next word; `-o` takes a name. */
function readShell(words: readonly string[]): { readonly text: string | null; readonly file: string | null } {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    if (!/^[-+]/.test(word)) return { text: null, file: word }
    if (/^-[a-z]*c[a-z]*$/i.test(word)) return { text: words[index + 1] ?? '', file: null }
    if (/^[-+][a-z]*o$/.test(word)) index += 1
  }
  return { text: null, file: null }
}

/** At the place of a command, and not for the sake of a redirection, which leaves the shell where it is. */
const EXEC = /(?:^|[\n;&|({]|\b(?:then|do|else)\s)[ \t]*exec[ \t]+(?!\d?[<>&])\S/
const TRAP = /(?:^|[;&|({]|\b(?:then|do|else)\s)[ \t]*trap[ \t]/
const END_SIGNAL = /\b(?:SIG)?(?:TERM|INT|EXIT)\b/

function handsOver(text: string): boolean {
  // Line by line and one after the other: together they would go back over a long line for every trap in it.
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
