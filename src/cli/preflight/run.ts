import { preflight as preflightAudit } from '#/audits/preflight/audit.ts'
import { askedFleet } from '#/cli/audit/asked-fleet.ts'
import { confirmed } from '#/cli/audit/confirm-wedges.ts'
import { preflightExit, preflightOutcome } from '#/cli/audit/preflight-outcome.ts'
import type { PreflightOutcome } from '#/cli/audit/preflight-outcome.ts'
import { renderAudit } from '#/cli/audit/render-audit.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { preflightFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { DURATION_FORM, formatDuration, parseDuration } from '#/core/basics/duration.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { runAudit } from '#/core/audit/run-audit.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'

type Context = CommandContext<typeof preflightFlags>
type Look = { readonly report: AuditReport; readonly outcome: PreflightOutcome }

export async function run(context: Context): Promise<ExitCode> {
  const { flags, args, terminal, clock, signal } = context
  const wait = parseDurationFlag('--wait', flags.wait ?? '0s')
  const interval = parseDurationFlag('--interval', flags.interval)
  if (flags.bundle !== undefined && wait > 0) {
    throw new CommandFailure(EXIT.usage, '--wait cannot be combined with --bundle: a bundle does not change')
  }
  const until = clock.now() + wait
  const progress = terminal.progress('reading the scale sets')
  try {
    for (;;) {
      const look = await lookAt(context, args)
      const left = until - clock.now()
      if (left <= 0 || look.outcome === 'ready' || look.outcome === 'wedged') return await printLook(context, look)
      const waiting = `${look.outcome}: waiting, ${formatDuration(Math.ceil(left / 1000) * 1000)} left`
      progress.say(waiting)
      terminal.detail(waiting)
      await clock.sleep(Math.min(interval, left), signal)
      signal.throwIfAborted()
    }
  } finally {
    progress.done()
  }
}

async function lookAt(context: Context, sets: readonly string[]): Promise<Look> {
  const audits = [preflightAudit]
  const question = { ...WHOLE_FLEET, scaleSets: sets }
  const { fleet } = await askedFleet(context, audits)
  refuseUnknownSets(fleet, sets)
  const first = runAudit(preflightAudit, fleet, question)
  const { reports } = await confirmed(context, { audits, question }, { fleet, reports: [first] })
  const report = reports[0] ?? first
  // In a cluster without scale sets nothing can block the first rollout.
  const isEmpty = fleet.sets.length === 0 && fleet.saw('kubernetes/autoscalingrunnersets')
  return { report, outcome: isEmpty && !report.isBlind ? 'ready' : preflightOutcome(report) }
}

/** An unknown name is a typo or a set that does not exist yet; neither is ready. */
function refuseUnknownSets(fleet: Fleet, names: readonly string[]): void {
  if (!fleet.saw('kubernetes/autoscalingrunnersets')) return
  const unknown = names.filter((name) => !fleet.sets.some((set) => namesSet([name], set)))
  if (unknown.length === 0) return
  const known = fleet.sets.map(({ namespace, name }) => `${namespace}/${name}`)
  throw new CommandFailure(EXIT.blind, `no such scale set: ${unknown.join(', ')}`, [
    known.length === 0 ? 'the cluster has no scale sets' : `known scale sets: ${known.slice(0, 20).join(', ')}`,
  ])
}

async function printLook({ terminal, flags }: Context, { report, outcome }: Look): Promise<ExitCode> {
  await printOutput(
    terminal,
    flags.output,
    renderAudit({ reports: [report], leftOut: [], lanes: null }, terminal.isVerbose),
  )
  return preflightExit(outcome)
}

function parseDurationFlag(flag: string, text: string): number {
  const ms = parseDuration(text)
  if (ms === null) throw new CommandFailure(EXIT.usage, `${flag} ${text} is not ${DURATION_FORM}`)
  return ms
}
