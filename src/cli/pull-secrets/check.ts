import { pullSecrets } from '#/audits/pull-secrets/audit.ts'
import { askedFleet } from '#/cli/audit/asked-fleet.ts'
import { auditExit } from '#/cli/audit/fail-on.ts'
import { renderAudit } from '#/cli/audit/render-audit.ts'
import type { pullSecretsCheckFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { runAudit } from '#/core/audit/run-audit.ts'

export async function run(context: CommandContext<typeof pullSecretsCheckFlags>): Promise<ExitCode> {
  const { fleet } = await askedFleet(context, [pullSecrets])
  const report = runAudit(pullSecrets, fleet, WHOLE_FLEET)
  await printOutput(
    context.terminal,
    context.flags.output,
    renderAudit({ reports: [report], leftOut: [], lanes: null }, context.terminal.isVerbose),
  )
  return auditExit([report], [])
}
