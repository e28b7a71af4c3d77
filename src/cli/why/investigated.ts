import { CAUSES } from '#/causes/index.ts'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { collectTemporarily } from '#/cli/collect/temporary-bundle.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { investigationFlags } from './investigation-flags.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { knowsMore, leavesRoom, toldBy } from '#/cli/why/choose-source.ts'
import { allOf, attemptIn, insistOnStore, isRun, lookInStore, sourceLines } from '#/cli/why/from-store.ts'
import type { Recorded } from '#/cli/why/from-store.ts'
import { readRules } from '#/cli/why/read-rules.ts'
import { unknownSubject } from '#/cli/why/unknown-subject.ts'
import { refuseUnreadable } from '#/cli/why/with-audit-log.ts'
import { investigate, rulesOf } from '#/runtime/why/investigate.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'
import { SIGNATURES } from '#/signatures/index.ts'

type Context = CommandContext<typeof investigationFlags>

export type Investigated =
  | { readonly kind: 'judged'; readonly results: readonly Investigation[] }
  | { readonly kind: 'recorded'; readonly recorded: Recorded }

/**
 * Judges the given bundle, or the live fleet. If `signalbox serve` recorded the death and its record knows more, the
 * record is used.
 */
export async function investigated(
  context: Context,
  {
    isJudging,
  }: {
    /** The verdict is printed; otherwise it only decides between live and recorded. */ readonly isJudging: boolean
  },
): Promise<Investigated> {
  const { flags, args, signal } = context
  const [argument] = args
  const own = await readRules(flags.rules)
  await refuseUnreadable(flags['audit-log'], signal)
  const judge = (path: string, subject: string | null = null): Promise<readonly Investigation[]> =>
    judged(path, { argument: subject, own, signal })
  if (flags.bundle !== undefined) refuseBeside(flags)
  if (flags.bundle !== undefined) {
    const results = await judge(flags.bundle, argument ?? null)
    tellAttempts(context, results)
    return { kind: 'judged', results }
  }
  if (argument === undefined) {
    throw new CommandFailure(EXIT.usage, 'SUBJECT or --bundle is required', [
      'live: use a pod, a runner, or the id or URL of a job or run',
      'from a bundle: --bundle PATH',
    ])
  }
  if (flags.store) {
    const recorded = await insistOnStore(context, argument, judge)
    tellAttempts(context, [])
    return tell(context, recorded, isJudging)
  }
  const live = await lookLive(context, argument, judge)
  const isWanted = (death: Recorded['death'], others: number): boolean => {
    const isRoom = live.kind === 'failed' || leavesRoom(live.results, death)
    if (!isRoom && isRun(argument) && (others > 0 || !live.results.some(({ subject }) => subject.uid === death.uid)))
      context.terminal.notice(printable(`Deaths of that run are recorded too; see: ${allOf('--job', argument)}`))
    return isRoom
  }
  const recorded = await lookInStore(context, argument, { judge, isWanted })
  const isRecorded = recorded !== null && isBetter(recorded, live)
  if (live.kind === 'judged' || isRecorded) tellAttempts(context, live.kind === 'judged' ? live.results : [])
  if (isRecorded) return tell(context, recorded, isJudging)
  if (live.kind === 'failed') throw live.failure
  return live
}

/** Only GitHub's jobs name the attempt: ARC's records and stored deaths name only the run. */
function tellAttempts({ args, terminal }: Context, results: readonly Investigation[]): void {
  const [argument] = args
  if (argument === undefined || attemptIn(argument) === null) return
  if (results.some(({ subject }) => subject.jobId !== null)) return
  terminal.notice('Without GitHub the attempts of a run cannot be distinguished: this may be any attempt of the run.')
}

const ONLY_LIVE = ['this-node', 'last-seen'] as const

/** A bundle is not extended, and a flag that was given is never ignored silently. */
function refuseBeside(flags: Context['flags']): void {
  const idle = ([...ONLY_LIVE, 'audit-log'] as const).find((name) => flags[name] !== undefined)
  if (idle === undefined) return
  throw new CommandFailure(EXIT.usage, `--${idle} cannot be combined with --bundle`, [
    idle === 'audit-log'
      ? 'add the audit log to the bundle as kubernetes/audit.jsonl (docs/evidence.md)'
      : `leave out --${idle} or --bundle`,
  ])
}

function tell({ terminal, flags }: Context, recorded: Recorded, isJudging: boolean): Investigated {
  for (const line of sourceLines(recorded, isJudging)) terminal.notice(line)
  for (const name of ONLY_LIVE) {
    if (flags[name] !== undefined) terminal.notice(`--${name} is not used: the answer comes from the record.`)
  }
  return { kind: 'recorded', recorded }
}

type Live =
  | { readonly kind: 'judged'; readonly results: readonly Investigation[] }
  | { readonly kind: 'failed'; readonly failure: CommandFailure }

function isBetter({ death, judged: own }: Recorded, live: Live): boolean {
  const [only] = live.kind === 'judged' ? live.results : []
  return only === undefined || knowsMore(only, toldBy(death, own))
}

/** Blind is not a failure yet: the death may be recorded. */
async function lookLive(
  context: Context,
  argument: string,
  judge: (path: string, subject: string | null) => Promise<readonly Investigation[]>,
): Promise<Live> {
  try {
    await using collected = await collectTemporarily(context, argument)
    if (!collected.isKnown) throw unknownSubject(argument, collected)
    // The bundle names the run, but not the attempt.
    const subject = attemptIn(argument) === null ? null : argument
    // Awaited here: the folder is deleted at the end of this scope.
    return { kind: 'judged', results: await judge(collected.path, subject) }
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === EXIT.blind) return { kind: 'failed', failure: error }
    throw error
  }
}

async function judged(
  path: string,
  given: {
    readonly argument: string | null
    readonly own: Awaited<ReturnType<typeof readRules>>
    readonly signal: AbortSignal
  },
): Promise<readonly Investigation[]> {
  const opening = await openBundle(path, BUNDLE_LIMITS, given.signal)
  if (opening.kind === 'refused') {
    throw new CommandFailure(EXIT.blind, `cannot read the bundle: ${opening.why}`, [
      'use a folder or a .tar.gz with a meta.json at its top',
    ])
  }
  await using bundle = opening.bundle
  const rules = rulesOf([...SIGNATURES, ...given.own.signatures])
  const findings = await investigate(bundle, given.argument, { rules, causes: [...CAUSES, ...given.own.causes] })
  if (findings.kind === 'found') return findings.results
  throw new CommandFailure(EXIT.blind, 'no such subject in the bundle', [
    findings.known.length === 0 ? 'the bundle has no pods' : `known subjects include: ${findings.known.join(', ')}`,
  ])
}
