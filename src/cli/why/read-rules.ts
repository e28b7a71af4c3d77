import { resolve } from 'node:path'
import type { Problem } from '#/adapters/documents/problem.ts'
import { byPlace } from '#/adapters/documents/problem.ts'
import type { OwnRules, RulesReading } from '#/adapters/rules/read-rules.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'

/** The user's own signatures and causes. A file that is invalid, or fails its own examples, is refused as a whole. */
export async function readRules(
  path: string | undefined,
): Promise<OwnRules & { /** Slow patterns. */ readonly warnings: readonly string[] }> {
  if (path === undefined) return { signatures: [], causes: [], warnings: [] }
  const reading = await examineRules(path)
  if (reading.kind === 'refused') throw refusal(path, reading)
  const { signatures, causes, warnings } = reading
  return { signatures, causes, warnings: warnings.map((warning) => problemLine(path, warning)) }
}

/** Its dependencies are loaded only when a file is given. */
export async function examineRules(path: string): Promise<RulesReading> {
  const [{ readRules: read }, { RULES_LIMITS }, { readSmallFile }, { SIGNATURES }, { CAUSES }] = await Promise.all([
    import('#/adapters/rules/read-rules.ts'),
    import('#/adapters/rules/rules-schema.ts'),
    import('#/adapters/files/read-small-file.ts'),
    import('#/signatures/index.ts'),
    import('#/causes/index.ts'),
  ])
  const file = await readSmallFile(resolve(path), RULES_LIMITS.fileBytes)
  if (file.kind !== 'read') {
    const why = file.kind === 'absent' ? 'no such file' : `it ${file.why}`
    throw new CommandFailure(EXIT.usage, `cannot read the rules: ${printable(path)}: ${why}`, ['see docs/own-rules.md'])
  }
  return read(file.text, { signatures: SIGNATURES, causes: CAUSES.map(({ id }) => id) })
}

const MOST_SHOWN = 50

export function refusal(path: string, { mistakes, failures }: RulesReading & { kind: 'refused' }): CommandFailure {
  const problems = [...mistakes, ...failures].toSorted(byPlace)
  const more = problems.length - MOST_SHOWN
  const what = mistakes.length === 0 ? 'the rules fail their own examples' : 'the rules are invalid'
  return new CommandFailure(EXIT.usage, `${what}: ${printable(path)}`, [
    ...problems.slice(0, MOST_SHOWN).map((problem) => problemLine(path, problem)),
    ...(more > 0 ? [`… and ${more} more`] : []),
    'see: signalbox signatures schema, and docs/own-rules.md',
  ])
}

/** `rules.yaml:12:7: what is wrong; what to do` */
export function problemLine(path: string, { line, column, message, advice }: Problem): string {
  return printable(`${path}:${line}:${column}: ${message}${advice === null ? '' : `; ${advice}`}`)
}
