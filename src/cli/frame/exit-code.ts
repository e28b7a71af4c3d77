/** Stable, for scripts. Each command documents its codes (`signalbox help COMMAND`). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  blind: 3,
  refused: 4,
  hungUp: 129,
  interrupted: 130,
  pipeClosed: 141,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The common meanings, in order of the codes. */
export const EXIT_MEANINGS: readonly { readonly code: ExitCode; readonly meaning: string }[] = [
  { code: EXIT.ok, meaning: 'Success, and nothing wrong was found.' },
  { code: EXIT.failed, meaning: 'There are findings, the answer is unknown, or the command failed.' },
  { code: EXIT.usage, meaning: 'The command line or the configuration is wrong; nothing was done.' },
  { code: EXIT.blind, meaning: 'Blind: nothing that it needed could be reached.' },
  { code: EXIT.refused, meaning: 'A gate refused, and what it refused was not touched; others may have been removed.' },
  { code: EXIT.hungUp, meaning: 'The terminal was closed (SIGHUP).' },
  { code: EXIT.interrupted, meaning: 'Ctrl-C (SIGINT); a second one ends it at once.' },
  { code: EXIT.pipeClosed, meaning: 'stdout was closed (`| head`).' },
  { code: EXIT.terminated, meaning: 'SIGTERM.' },
]
