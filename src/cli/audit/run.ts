import type { AskedContext } from './asked-fleet.ts'
import { askedFleet, isLive } from './asked-fleet.ts'
import { changesBetween } from './changes.ts'
import type { Change } from './changes.ts'
import { confirmed } from './confirm-wedges.ts'
import { auditExit } from './fail-on.ts'
import { examine } from './examine.ts'
import { probed } from './probed.ts'
import { toFailOn, namedAudits, toQuestion, refuseUnknownNames } from './question.ts'
import { renderAudit } from './render-audit.ts'
import { subjectName } from './report-section.ts'
import type { AuditAnswer } from './render-audit.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { auditFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'

type Context = CommandContext<typeof auditFlags> & AskedContext

export async function run(context: CommandContext<typeof auditFlags>): Promise<ExitCode> {
  const { flags, terminal } = context
  const failOn = toFailOn(flags['fail-on'])
  refuseContradictions(context)
  const answer = await look(context)
  await printOutput(terminal, flags.output, renderAudit(answer, terminal.isVerbose))
  if (flags.watch) return watch(context, answer, (latest) => auditExit(latest.reports, failOn))
  return auditExit(answer.reports, failOn)
}

function refuseContradictions({ flags, args }: Context): void {
  const isNamed = flags.at !== undefined || flags.runner !== undefined || flags['runner-name'] !== undefined
  // A bundle may name its runner.
  if (!isNamed && flags.bundle === undefined) refuseAimless(args)
  if (flags.probe && !isLive(flags)) {
    throw new CommandFailure(
      EXIT.usage,
      '--probe cannot be combined with --bundle or --source: it runs a pod in the live cluster',
    )
  }
  if (parseDuration(flags.interval) === null) {
    throw new CommandFailure(EXIT.usage, `--interval ${flags.interval} is not ${DURATION_FORM}`)
  }
}

/** Without a runner or a time there is no window to look at, and "no findings" would read as "the network is well". */
function refuseAimless(args: readonly string[]): void {
  if (!args.includes('network')) return
  throw new CommandFailure(EXIT.usage, 'audit network requires --runner-name or --at', [
    'use --runner-name NAME or --at TIME',
  ])
}

async function look(context: Context): Promise<AuditAnswer> {
  const { flags, args } = context
  const audits = namedAudits(args)
  const opened = await askedFleet(context, audits)
  const fleet = flags.probe ? await probed(context, opened.fleet) : opened.fleet
  const question = toQuestion(flags, fleet.now, opened.subject)
  if (question.runner === null && question.at === null) refuseAimless(args)
  refuseUnknownNames(fleet, question)
  const answer = examine(fleet, { audits, areNamed: args.length > 0, question })
  const { reports } = await confirmed(context, { audits, question }, { fleet, reports: answer.reports })
  return { ...answer, reports }
}

/** Prints new and gone findings, one line each, until it is stopped. */
async function watch(
  context: Context,
  first: AuditAnswer,
  exitOf: (answer: AuditAnswer) => ExitCode,
): Promise<ExitCode> {
  const { flags, clock, signal, terminal } = context
  let latest = first
  for (;;) {
    await clock.sleep(parseDuration(flags.interval) ?? 0, signal)
    if (signal.aborted) return exitOf(latest)
    const next = await look(context).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof AppFailure)) throw error
      terminal.notice(`cannot read the fleet: ${printable(redact(error.message))}`)
      return null
    })
    if (next !== null) {
      const changes = changesBetween(latest.reports, next.reports)
      for (const change of changes) terminal.data(`${printed(change, flags.output === 'json', clock.now())}\n`)
      latest = next
    }
  }
}

function printed({ kind, audit, finding }: Change, isJson: boolean, now: number): string {
  const { class: name, severity, subject, evidence } = finding
  const at = new Date(now).toISOString()
  if (isJson) return redact(JSON.stringify({ at, change: kind, audit, class: name, severity, subject, evidence }))
  const detail = kind === 'new' ? `: ${evidence[0] ?? ''}` : ''
  return printable(
    redact(`${at}  ${kind === 'new' ? '+' : '-'} ${severity}  ${name}  ${subjectName(subject)}${detail}`),
  )
}
