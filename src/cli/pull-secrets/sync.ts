import { randomUUID } from 'node:crypto'
import { laneActs } from '#/adapters/kubernetes/acts.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openActBook } from '#/cli/acting/open-act-book.ts'
import { namedFleetFile } from '#/cli/audit/open-fleet.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { listCopies } from '#/core/pull-secrets/plan-copy.ts'
import type { DeclaredCopy } from '#/core/pull-secrets/plan-copy.ts'
import type { pullSecretsSyncFlags } from './command.ts'
import { applyCopies, lookAtCopies } from './perform-sync.ts'
import type { SyncLook, SyncTools } from './perform-sync.ts'
import { doneExit, lookExit, renderDone, renderLook } from './render-sync.ts'

type SyncContext = CommandContext<typeof pullSecretsSyncFlags>

const ABANDONED_AFTER_MS = 60_000

export async function run(context: SyncContext): Promise<ExitCode> {
  const { flags, terminal, clock, signal } = context
  const copies = await declaredCopies(flags.fleet)
  if (flags.apply && !flags.yes && terminal.ask === null) {
    throw new CommandFailure(EXIT.usage, 'pull-secrets sync --apply asks first, and stdin is not a terminal', [
      'add --yes if a script may apply the copies',
    ])
  }
  const { config } = await context.config()
  await using book = flags.apply ? await openActBook(context, { evidence: flags.evidence }) : null
  await using cluster = openCluster(config, await readNetwork(config), clock)
  if (cluster === null) {
    throw new CommandFailure(EXIT.blind, 'no kubeconfig, and not inside a cluster', ['give --kubeconfig FILE'])
  }
  const tools: SyncTools = { kubernetes: cluster, acts: laneActs(cluster), clock, signal }
  const look = await lookAtCopies(copies, tools)
  if (book === null || !isDue(look)) {
    await printOutput(terminal, flags.output, renderLook(look, flags.apply))
    return lookExit(look)
  }
  if (!flags.yes && !(await isAgreed(context, look))) {
    terminal.notice('You answered no: nothing was changed.')
    return EXIT.ok
  }
  const warrant = {
    actor: book.actor,
    run: randomUUID(),
    epoch: null,
    cap: { run: null, set: null },
    abandonedAfterMs: ABANDONED_AFTER_MS,
  }
  const done = await applyCopies(look, book, tools, { force: flags['force-conflicts'], warrant })
  await printOutput(terminal, flags.output, renderDone(done, book.where))
  return doneExit(done)
}

async function declaredCopies(path: string | undefined): Promise<readonly DeclaredCopy[]> {
  const file = await namedFleetFile(path)
  const copies = listCopies(file?.pullSecrets ?? [])
  if (copies.length > 0) return copies
  throw new CommandFailure(
    EXIT.usage,
    file === null
      ? 'which copy is the original is declared in the fleet file'
      : 'the fleet file declares no copies of pull secrets',
    ['give --fleet FILE with spec.pullSecrets: docs/pull-secrets.md'],
  )
}

/** A refusal is written to the ledger too. */
function isDue({ copies, listeners }: SyncLook): boolean {
  return listeners.length > 0 || copies.some(({ plan }) => plan.kind !== 'same')
}

async function isAgreed({ terminal, signal }: SyncContext, look: SyncLook): Promise<boolean> {
  const changes = look.copies.filter(({ plan }) => plan.kind === 'create' || plan.kind === 'update')
  const lines = [
    ...changes.map(({ copy, plan }) => `  ${plan.kind} ${copy.to}/${copy.name} from ${copy.from}/${copy.name}`),
    ...look.listeners.map(({ namespace, name }) => `  recreate listener pod ${namespace}/${name}`),
  ]
  const answer = (await terminal.ask?.(`${lines.join('\n')}\nApply? [y/N] `, signal)) ?? null
  signal.throwIfAborted()
  return /^y(?:es)?$/iu.test(answer?.trim() ?? '')
}
