import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { reapFlags } from './command.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'
import type { Cap } from '#/core/interlock/plan-removals.ts'
import { POLICIES } from '#/core/interlock/policies/index.ts'
import { POLICY_IDS } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

/** What the command line asks for. */
export type ReapQuestion = {
  readonly policies: readonly Policy[]
  readonly sets: readonly string[]
  readonly cap: Cap
  readonly minAgeMs: number
}

type Asked = Pick<CommandContext<typeof reapFlags>, 'flags' | 'args'>

/** Throws a `CommandFailure` if it is wrong. */
export function toReapQuestion({ flags, args }: Asked): ReapQuestion {
  if (flags.apply) {
    throw new CommandFailure(EXIT.usage, '--apply is not in this version: reap is a dry run', ['leave out --apply'])
  }
  const names: ReadonlySet<string> = new Set([...flags.policy, ...args])
  if (names.size === 0) {
    throw new CommandFailure(EXIT.usage, 'reap requires --policy', [`policies: ${POLICY_IDS.join(', ')}`])
  }
  const minAgeMs = parseDuration(flags['min-age'])
  if (minAgeMs === null) throw new CommandFailure(EXIT.usage, `--min-age ${flags['min-age']} is not ${DURATION_FORM}`)
  const run = readCount('--max', flags.max)
  const perSet = flags['max-per-set']
  return {
    policies: POLICIES.filter(({ id }) => names.has(id)),
    sets: flags.set,
    cap: { run, set: perSet === undefined ? run : readCount('--max-per-set', perSet) },
    minAgeMs,
  }
}

function readCount(flag: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new CommandFailure(EXIT.usage, `${flag} ${text} is not a whole number`)
}
