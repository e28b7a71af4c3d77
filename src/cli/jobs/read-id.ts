import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { parseSubjectArgument } from '#/core/evidence/subject-argument.ts'

/** Also from the URL of a job. */
export function readJobId(text: string): number {
  const subject = parseSubjectArgument(text)
  if (subject.kind === 'job' && subject.id !== null) return subject.id
  throw new CommandFailure(EXIT.usage, printable(`${text} is not a job`), ['use its id, or its URL'])
}
