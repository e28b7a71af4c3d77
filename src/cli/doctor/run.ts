import type { doctorFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { CheckResult, DoctorContext, Trouble } from './check.ts'
import { CHECKS, DISPATCH_CHECKS } from './checks.ts'
import type { Examined } from './examine.ts'
import { examine, doctorExitCode } from './examine.ts'
import { askGitHubIdentity } from './github.ts'
import { askClusterVersion } from './kubernetes.ts'
import { askRunningServer } from './running-server.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openGitHub } from '#/app/open-github.ts'
import type { Section, Output } from '#/cli/output/print-output.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Tone } from '#/cli/output/style.ts'

export async function run(command: CommandContext<typeof doctorFlags>): Promise<ExitCode> {
  const { terminal, signal, clock, flags } = command
  const { config } = await command.config()
  const network = await readNetwork(config)
  await using kubernetes = openCluster(config, network, clock)
  await using github = openGitHub(config, network, clock)
  const context: DoctorContext = {
    config,
    network,
    clock,
    signal,
    kubernetes,
    github,
    runningServer: once(() => askRunningServer(command)),
    clusterVersion: once(() => askClusterVersion({ kubernetes, signal })),
    githubIdentity: once(() => askGitHubIdentity({ config, github, signal })),
  }
  const checks = config.dispatch === null ? CHECKS : [...CHECKS, ...DISPATCH_CHECKS]
  const progress = terminal.progress(`running ${checks.length} checks`)
  const examined = await Promise.all(checks.map((check) => examine(check, context)))
  progress.done()
  signal.throwIfAborted()
  await printOutput(terminal, flags.output, renderChecks(examined))
  for (const { check, result } of examined) {
    if (!isTrouble(result) && result.fix !== undefined) terminal.detail(`${check.title}: ${result.fix}`)
  }
  return doctorExitCode(examined)
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

const TONES: Readonly<Record<string, Tone>> = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'dim' }

export function renderChecks(examined: readonly Examined[]): Output {
  const count = (kind: string): number => examined.filter(({ result }) => result.kind === kind).length
  return {
    data: {
      summary: { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') },
      checks: examined.map(({ check: { id, title }, result: { kind, ...rest } }) => ({
        id,
        title,
        status: kind,
        ...rest,
      })),
    },
    sections: [
      {
        table: {
          columns: ['status', 'what', 'detail'],
          rows: examined.map(({ check, result }) => [
            { text: result.kind, tone: TONES[result.kind] ?? 'dim' },
            check.title,
            result.detail,
          ]),
        },
      },
      ...examined.flatMap(trouble),
    ],
  }
}

function trouble({ check, result }: Examined): readonly Section[] {
  if (!isTrouble(result)) return []
  return [{ title: `${check.title}: ${result.detail}`, text: `${result.cost}\n${result.fix}` }]
}

function isTrouble(result: CheckResult): result is CheckResult & Trouble {
  return result.kind === 'warn' || result.kind === 'fail'
}
