import { CAUSES } from '#/causes/index.ts'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { collectTemporarily } from '#/cli/collect/temporary-bundle.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { investigationFlags } from './investigation-flags.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { isRecreated, recordKnowsMore, mayUseRecord, toRecordedVerdict } from './choose-source.ts'
import { listCommand, attemptIn, requireRecord, isRun, findRecord, sourceLines } from './from-store.ts'
import type { Recorded } from './from-store.ts'
import { readRules } from './read-rules.ts'
import { unknownSubject } from './unknown-subject.ts'
import { refuseUnreadable } from './with-audit-log.ts'
import { judgeBundle, buildRules } from '#/runtime/why/judge-bundle.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'
import { SIGNATURES } from '#/signatures/index.ts'

type Context = CommandContext<typeof investigationFlags>

export type WhyAnswer =
  | { readonly kind: 'judged'; readonly results: readonly JudgedSubject[] }
  | { readonly kind: 'recorded'; readonly recorded: Recorded }

/**
 * Judges the given bundle, or the live fleet. If `signalbox serve` recorded the death and its record knows more, the
 * record is used.
 */
export async function judgeSubject(
  context: Context,
  {
    isJudging,
  }: {
    /** The verdict is printed; otherwise it only decides between live and recorded. */ readonly isJudging: boolean
  },
): Promise<WhyAnswer> {
  const { flags, args, signal } = context
  const [argument] = args
  const own = await readRules(flags.rules)
  await refuseUnreadable(flags['audit-log'], signal)
  const judge = (path: string, subject: string | null = null): Promise<readonly JudgedSubject[]> =>
    judgeBundleAt(path, { argument: subject, own, signal })
  if (flags.bundle !== undefined) refuseWithBundle(flags)
  if (flags.bundle !== undefined) {
    const results = await judge(flags.bundle, argument ?? null)
    warnAboutAttempts(context, results)
    return { kind: 'judged', results }
  }
  if (argument === undefined) {
    throw new CommandFailure(EXIT.usage, 'SUBJECT or --bundle is required', [
      'live: use a pod, a runner, or the id or URL of a job or run',
      'from a bundle: --bundle PATH',
    ])
  }
  if (flags.store) {
    const recorded = await requireRecord(context, argument, judge)
    warnAboutAttempts(context, [])
    return useRecord(context, recorded, isJudging)
  }
  return judgeLiveOrRecorded(context, { argument, judge, isJudging })
}

type Asked = {
  readonly argument: string
  readonly judge: (path: string, subject?: string | null) => Promise<readonly JudgedSubject[]>
  readonly isJudging: boolean
}

async function judgeLiveOrRecorded(context: Context, { argument, judge, isJudging }: Asked): Promise<WhyAnswer> {
  const live = await judgeLive(context, argument, judge)
  const isWanted = (death: Recorded['death'], others: number): boolean => {
    const isRoom = live.kind === 'failed' || mayUseRecord(live.results, death)
    if (!isRoom && isRun(argument) && (others > 0 || !live.results.some(({ subject }) => subject.uid === death.uid)))
      context.terminal.notice(printable(`Deaths of that run are recorded too; see: ${listCommand('--job', argument)}`))
    return isRoom
  }
  const found = context.flags.live ? null : await findRecord(context, argument, { judge, isWanted })
  const recorded = found === null ? null : withSuccessor(found, live)
  const isRecorded = recorded !== null && isBetter(recorded, live)
  if (live.kind === 'judged' || isRecorded) warnAboutAttempts(context, live.kind === 'judged' ? live.results : [])
  if (isRecorded) return useRecord(context, recorded, isJudging)
  if (live.kind === 'failed') throw live.failure
  return live
}

/** Only GitHub's jobs name the attempt: ARC's records and stored deaths name only the run. */
function warnAboutAttempts({ args, terminal }: Context, results: readonly JudgedSubject[]): void {
  const [argument] = args
  if (argument === undefined || attemptIn(argument) === null) return
  if (results.some(({ subject }) => subject.jobId !== null)) return
  terminal.notice('Without GitHub the attempts of a run cannot be distinguished: this may be any attempt of the run.')
}

const ONLY_LIVE = ['this-node', 'last-seen'] as const

/** A bundle is not extended, and a flag that was given is never ignored silently. */
function refuseWithBundle(flags: Context['flags']): void {
  const idle = ([...ONLY_LIVE, 'audit-log'] as const).find((name) => flags[name] !== undefined)
  if (idle === undefined) return
  throw new CommandFailure(EXIT.usage, `--${idle} cannot be combined with --bundle`, [
    idle === 'audit-log'
      ? 'add the audit log to the bundle as kubernetes/audit.jsonl (docs/evidence.md)'
      : `leave out --${idle} or --bundle`,
  ])
}

function useRecord({ terminal, flags }: Context, recorded: Recorded, isJudging: boolean): WhyAnswer {
  for (const line of sourceLines(recorded, isJudging)) terminal.notice(line)
  for (const name of ONLY_LIVE) {
    if (flags[name] !== undefined) terminal.notice(`--${name} is not used: the answer comes from the record.`)
  }
  return { kind: 'recorded', recorded }
}

type Live =
  | { readonly kind: 'judged'; readonly results: readonly JudgedSubject[] }
  | { readonly kind: 'failed'; readonly failure: CommandFailure }

function isBetter({ death, judgement: own }: Recorded, live: Live): boolean {
  const [only] = live.kind === 'judged' ? live.results : []
  if (only === undefined || isRecreated(only, death)) return true
  return recordKnowsMore(only, toRecordedVerdict(death, own))
}

/** The cluster was just read, so it knows better than the recorder who has the name now. */
function withSuccessor(recorded: Recorded, live: Live): Recorded {
  const [only] = live.kind === 'judged' ? live.results : []
  if (only === undefined) return recorded
  const { uid } = only.subject
  const isNew = uid !== null && isRecreated(only, recorded.death)
  return { ...recorded, successor: isNew ? { uid, createdAt: only.evidence.pod?.createdAt ?? null } : null }
}

/** Blind is not a failure yet: the death may be recorded. */
async function judgeLive(
  context: Context,
  argument: string,
  judge: (path: string, subject: string | null) => Promise<readonly JudgedSubject[]>,
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

async function judgeBundleAt(
  path: string,
  given: {
    readonly argument: string | null
    readonly own: Awaited<ReturnType<typeof readRules>>
    readonly signal: AbortSignal
  },
): Promise<readonly JudgedSubject[]> {
  const opening = await openBundle(path, BUNDLE_LIMITS, given.signal)
  if (opening.kind === 'refused') {
    throw new CommandFailure(EXIT.blind, `cannot read the bundle: ${opening.why}`, [
      'use a folder or a .tar.gz with a meta.json at its top',
    ])
  }
  await using bundle = opening.bundle
  const rules = buildRules([...SIGNATURES, ...given.own.signatures])
  const findings = await judgeBundle(bundle, given.argument, { rules, causes: [...CAUSES, ...given.own.causes] })
  if (findings.kind === 'found') return findings.results
  throw new CommandFailure(EXIT.blind, 'no such subject in the bundle', [
    findings.known.length === 0 ? 'the bundle has no pods' : `known subjects include: ${findings.known.join(', ')}`,
  ])
}
