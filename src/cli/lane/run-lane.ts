import { laneActs } from '#/adapters/kubernetes/acts.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openGitHub } from '#/app/open-github.ts'
import { openActBook } from '#/cli/acting/open-act-book.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { OutputFormat } from '#/cli/output/print-output.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { CLUSTER_ADVICE } from './advice.ts'
import { askGitHub } from './ask-github.ts'
import { findSet } from './find-set.ts'
import { laneExit } from './lane-exit.ts'
import { performLane } from './perform-lane.ts'
import type { LaneWish } from './perform-lane.ts'
import { renderLane } from './render-lane.ts'

type LaneContext = CommandContext & {
  readonly flags: {
    readonly output: OutputFormat
    readonly yes: boolean
    readonly 'dry-run': boolean
    readonly evidence: string | undefined
  }
}

export async function runLane(
  context: LaneContext,
  wish: Pick<LaneWish, 'order' | 'proveMs' | 'drainMs'>,
): Promise<ExitCode> {
  const { flags, args, terminal, clock, signal } = context
  const isDry = flags['dry-run']
  if (!isDry && !flags.yes && terminal.ask === null) {
    throw new CommandFailure(EXIT.usage, 'lane asks before it changes something, and stdin is not a terminal', [
      'add --yes if a script may do it, or --dry-run to see the change',
    ])
  }
  const { config } = await context.config()
  // First: without a ledger nothing may be done.
  await using book = isDry ? null : await openActBook(context, { evidence: flags.evidence })
  const network = await readNetwork(config)
  await using cluster = openCluster(config, network, clock)
  if (cluster === null) throw new CommandFailure(EXIT.blind, 'no kubeconfig, and not inside a cluster', CLUSTER_ADVICE)
  await using github = openGitHub(config, network, clock)
  const { namespaces } = config.kubernetes
  const reads = { kubernetes: cluster, namespaces: namespaces.kind === 'named' ? namespaces.names : null, signal }
  const set = await findSet(args[0] ?? '', reads)
  const outcome = await performLane(
    { ...wish, set, isConfirmed: flags.yes },
    {
      reads,
      acts: laneActs(cluster),
      book,
      clock,
      terminal,
      askGitHub: (object) => askGitHub(github, { object, githubUrl: config.github.baseUrl, signal }),
    },
  )
  if (outcome.kind === 'unread') {
    throw new CommandFailure(EXIT.blind, `the set could not be read: ${describeReason(outcome.reason)}`, CLUSTER_ADVICE)
  }
  await printOutput(terminal, flags.output, renderLane(outcome, book?.where ?? null))
  return laneExit(outcome)
}

export function parseWait(text: string): number {
  const ms = parseDuration(text)
  if (ms === null) throw new CommandFailure(EXIT.usage, `--wait ${text} is not ${DURATION_FORM}`)
  return ms
}
