import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { collectTemporarily } from '#/cli/collect/temporary-bundle.ts'
import { CommandFailure } from '#/cli/command-failure.ts'
import type { timelineFlags } from '#/cli/commands/timeline.ts'
import type { CommandContext } from '#/cli/context.ts'
import type { FlagValues } from '#/cli/grammar/flag.ts'
import { EXIT } from '#/cli/exit-code.ts'
import { readRules } from '#/cli/why/read-rules.ts'
import type { Cause } from '#/core/why/cause.ts'
import { investigate, rulesOf } from '#/runtime/why/investigate.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'
import { SIGNATURES } from '#/signatures/index.ts'

type Context = Omit<CommandContext<typeof timelineFlags>, 'flags'> & {
  readonly flags: Omit<FlagValues<typeof timelineFlags>, 'output'>
}

/** The bundle that is named, or one that is made from what is live; then one answer for each subject. */
export async function investigated(context: Context, causes: readonly Cause[]): Promise<readonly Investigation[]> {
  const { flags, args, signal } = context
  const [argument] = args
  const own = await readRules(flags.rules)
  if (flags.bundle !== undefined) return judged(flags.bundle, { argument: argument ?? null, own, causes, signal })
  if (argument === undefined) {
    throw new CommandFailure(EXIT.usage, 'neither a subject nor a bundle is named', [
      'live: give a pod, a runner, or the number or address of a job or run',
      'from a bundle: --bundle PATH',
    ])
  }
  await using collected = await collectTemporarily(context, argument)
  if (collected.unfound.length > 0) {
    throw new CommandFailure(EXIT.blind, `nothing that was read knows ${collected.unfound.join(', ')}`, [
      'a pod that is gone leaves events for an hour; give --last-seen, --audit-log, or the address of the job',
    ])
  }
  // Awaited here: the folder goes with this scope.
  return await judged(collected.path, { argument: null, own, causes, signal })
}

async function judged(
  path: string,
  given: {
    readonly argument: string | null
    readonly own: Awaited<ReturnType<typeof readRules>>
    readonly causes: readonly Cause[]
    readonly signal: AbortSignal
  },
): Promise<readonly Investigation[]> {
  const opening = await openBundle(path, BUNDLE_LIMITS, given.signal)
  if (opening.kind === 'refused') {
    throw new CommandFailure(EXIT.blind, `the bundle cannot be read: ${opening.why}`, [
      'a bundle is a folder or a .tar.gz with a meta.json at its top',
    ])
  }
  await using bundle = opening.bundle
  const rules = rulesOf([...SIGNATURES, ...given.own.signatures])
  const findings = await investigate(bundle, given.argument, { rules, causes: [...given.causes, ...given.own.causes] })
  if (findings.kind === 'found') return findings.results
  throw new CommandFailure(EXIT.blind, 'the bundle knows nothing of that subject', [
    findings.known.length === 0 ? 'it holds no pods at all' : `it knows, among others: ${findings.known.join(', ')}`,
  ])
}
