import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { notifyTestFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { readNetwork } from '#/app/network.ts'
import { openGitHub } from '#/app/open-github.ts'
import type { GitHubConnection } from '#/app/open-github.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { openChannels } from '#/app/channels.ts'
import type { Config } from '#/config/config.ts'
import { sampleNotice } from '#/core/notify/sample.ts'

type Tried = {
  readonly channel: string
  readonly outcome: 'sent' | 'may write' | 'failed'
  readonly why: string | null
}

export async function run(context: CommandContext<typeof notifyTestFlags>): Promise<ExitCode> {
  const { terminal, signal, clock, flags, args } = context
  const { config } = await context.config()
  const network = await readNetwork(config)
  await using github = openGitHub(config, network, clock)
  await using channels = openChannels({ notify: config.notify, network, github, clock })
  const plans = channels.plans.filter(({ name }) => args[0] === undefined || name === args[0])
  if (plans.length === 0) {
    throw new CommandFailure(
      EXIT.usage,
      `${args[0] ?? 'no channel'} is ${args[0] === undefined ? '' : 'not '}configured`,
      [
        'set notify.slack.urlFile, notify.teams.urlFile, notify.webhook.urlFile or notify.github.checkRuns (docs/notifications.md)',
      ],
    )
  }
  const tried: Tried[] = []
  for (const { name, notifier } of plans) {
    if (name === 'github' && github !== null) {
      tried.push(...(await mayWriteChecks(config, github, signal)))
      continue
    }
    const sending = await notifier.send(sampleNotice(clock.now()), signal)
    tried.push(
      sending.kind === 'sent'
        ? { channel: name, outcome: 'sent', why: null }
        : { channel: name, outcome: 'failed', why: redact(sending.why) },
    )
  }
  const rows = tried.map(({ channel, outcome, why }) => [channel, outcome, printable(why ?? '')])
  await printOutput(terminal, flags.output, {
    data: { channels: tried },
    sections: [{ table: { columns: ['channel', 'outcome', 'why'], rows } }],
  })
  return tried.some(({ outcome }) => outcome === 'failed') ? EXIT.failed : EXIT.ok
}

async function mayWriteChecks(
  { github: { owners } }: Config,
  { access }: GitHubConnection,
  signal: AbortSignal,
): Promise<readonly Tried[]> {
  const channel = 'github'
  const accounts = [...new Set(owners.flatMap((owner) => owner.split('/')[0] ?? []))]
  if (accounts.length === 0) return [{ channel, outcome: 'failed', why: 'github.owners is empty' }]
  const tried: Tried[] = []
  for (const owner of accounts) {
    const missing = await access.missing(owner, [{ name: 'checks', level: 'write' }], { signal })
    if (missing.kind === 'none') tried.push({ channel, outcome: 'may write', why: owner })
    else if (missing.kind === 'seen') {
      tried.push({ channel, outcome: 'failed', why: `the App lacks the permission checks: write for ${owner}` })
    } else tried.push({ channel, outcome: 'failed', why: redact(`${owner}: ${missing.reason.detail}`) })
  }
  return tried
}
