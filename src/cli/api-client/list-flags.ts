import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { MOMENT_FORM, parseMoment } from '#/core/basics/moment.ts'

export function readMoment(flag: string, text: string, now: number): number {
  const at = parseMoment(text, now)
  // The server accepts no time before 1970.
  if (at !== null) return Math.max(0, at)
  throw new CommandFailure(EXIT.usage, `--${flag}: ${text} is not a time`, [`use ${MOMENT_FORM}`])
}

export function readLimit(text: string): number {
  const most = Number(text)
  if (Number.isInteger(most) && most >= 1) return most
  throw new CommandFailure(EXIT.usage, `--limit: ${text} is not a whole number greater than 0`)
}
