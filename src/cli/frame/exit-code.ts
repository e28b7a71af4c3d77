/** What a script may rely on. Each command says which of them it gives and when (`signalbox help COMMAND`). */
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

/** The meaning that every command shares, in the order of the codes. */
export const EXIT_MEANINGS: readonly { readonly code: ExitCode; readonly meaning: string }[] = [
  { code: EXIT.ok, meaning: 'It did what was asked and found nothing wrong.' },
  { code: EXIT.failed, meaning: 'It has findings, the answer is unknown, or it failed.' },
  { code: EXIT.usage, meaning: 'The command line or the configuration is wrong; nothing was done.' },
  { code: EXIT.blind, meaning: 'It could not see: nothing that it needed could be reached.' },
  { code: EXIT.refused, meaning: 'A gate refused the act; nothing was removed.' },
  { code: EXIT.hungUp, meaning: 'The terminal was closed (SIGHUP).' },
  { code: EXIT.interrupted, meaning: 'Ctrl-C (SIGINT); a second one ends it at once.' },
  { code: EXIT.pipeClosed, meaning: 'The reader of the output went away (`| head`).' },
  { code: EXIT.terminated, meaning: 'SIGTERM.' },
]
