import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ApplyWish, ReapQuestion } from '#/cli/reap/plan/question.ts'
import type { reapFlags } from './command.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'
import { POLICIES } from '#/core/interlock/policies/index.ts'
import { POLICY_IDS } from '#/core/interlock/policy.ts'

/** Nobody looks at what a repeated run removes. */
const LEAST_UNWATCHED_AGE_MS = 3_600_000

type Asked = Pick<CommandContext<typeof reapFlags>, 'flags' | 'args'>

/** Throws a `CommandFailure` if it is wrong. */
export function toReapQuestion({ flags, args }: Asked): ReapQuestion {
  const names: ReadonlySet<string> = new Set([...flags.policy, ...args])
  if (names.size === 0) {
    throw new CommandFailure(EXIT.usage, 'reap requires --policy', [`policies: ${POLICY_IDS.join(', ')}`])
  }
  const minAgeMs = readDuration('--min-age', flags['min-age'])
  const run = readCount('--max', flags.max)
  const perSet = flags['max-per-set']
  return {
    policies: POLICIES.filter(({ id }) => names.has(id)),
    sets: flags.set,
    cap: { run, set: perSet === undefined ? run : readCount('--max-per-set', perSet) },
    minAgeMs: flags.interval === undefined ? minAgeMs : Math.max(minAgeMs, LEAST_UNWATCHED_AGE_MS),
  }
}

/** Null for a dry run. Throws a `CommandFailure` if a flag makes no sense. */
export function toApplyWish({ flags }: Pick<Asked, 'flags'>): ApplyWish | null {
  const { apply, yes, evidence, interval, wait } = flags
  if (!apply) {
    const given = (['yes', 'evidence', 'interval', 'wait'] as const).find(
      (flag) => flags[flag] === true || typeof flags[flag] === 'string',
    )
    if (given === undefined) return null
    throw new CommandFailure(EXIT.usage, `--${given} can be used only with --apply`, [
      'without --apply nothing is changed',
    ])
  }
  if (flags.bundle !== undefined) {
    throw new CommandFailure(EXIT.usage, '--apply cannot be combined with --bundle: a bundle is the past', [
      'leave out --apply to see what would be done',
    ])
  }
  if (flags['github-runners-json'] !== undefined) {
    // A runner that the file does not have would be removed without asking GitHub, which may have given it a job since.
    throw new CommandFailure(EXIT.usage, '--apply cannot be combined with --github-runners-json: a file is the past', [
      'give a credential for GitHub instead (docs/configuration.md)',
      'leave out --apply to see what would be done',
    ])
  }
  if (interval !== undefined && !yes) {
    throw new CommandFailure(EXIT.usage, '--interval requires --yes: nobody answers each round', ['add --yes'])
  }
  const waitMs = wait === undefined ? null : readDuration('--wait', wait)
  const intervalMs = interval === undefined ? null : readDuration('--interval', interval)
  if (intervalMs !== null && intervalMs < LEAST_INTERVAL_MS) {
    throw new CommandFailure(EXIT.usage, `--interval ${interval ?? ''} is shorter than 1m`)
  }
  return { isConfirmed: yes, evidence, intervalMs, waitMs }
}

/** Each round reads the whole fleet. */
const LEAST_INTERVAL_MS = 60_000

function readDuration(flag: string, text: string): number {
  const ms = parseDuration(text)
  if (ms !== null) return ms
  throw new CommandFailure(EXIT.usage, `${flag} ${text} is not ${DURATION_FORM}`)
}

function readCount(flag: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new CommandFailure(EXIT.usage, `${flag} ${text} is not a whole number`)
}
