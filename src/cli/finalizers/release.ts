import { randomUUID } from 'node:crypto'
import { finalizerActs } from '#/adapters/kubernetes/acts.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openActBook } from '#/cli/acting/open-act-book.ts'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Config } from '#/config/config.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { judgeRelease, readHeldPod } from '#/core/pools/reconcile/held-pod.ts'
import type { HeldPod, ReleaseTerms } from '#/core/pools/reconcile/held-pod.ts'
import { POOL_LABEL } from '#/core/pools/own-pod.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { releaseFinalizer } from '#/runtime/act/release-finalizer.ts'
import type { releaseFlags } from './command.ts'
import { renderRelease } from './render-release.ts'
import type { ReleaseLine } from './render-release.ts'

type ReleaseContext = CommandContext<typeof releaseFlags>

const ABANDONED_AFTER_MS = 60_000

export async function run(context: ReleaseContext): Promise<ExitCode> {
  const { flags, terminal, clock, signal } = context
  const terms = readTerms(flags)
  const { config } = await context.config()
  await using cluster = openCluster(config, await readNetwork(config), clock)
  if (cluster === null) {
    throw new CommandFailure(EXIT.blind, 'no kubeconfig, and not inside a cluster', ['give --kubeconfig FILE'])
  }
  const { pods, blind } = await listHeld(cluster, config, signal)
  const lines = pods.map((pod): ReleaseLine => {
    const { kind, why } = judgeRelease(pod, terms, clock.now())
    return { pod, state: kind === 'may' ? 'would release' : 'stays', why }
  })
  const isDue = lines.some(({ state }) => state === 'would release')
  const done = flags.yes && isDue ? await releaseAll(context, { cluster, lines, terms }) : lines
  const now = clock.now()
  await printOutput(terminal, flags.output, renderRelease(done, { blind, now, isDry: !flags.yes }))
  if (done.some(({ state }) => state === 'failed')) return EXIT.failed
  if (blind.length > 0) return EXIT.blind
  return done.some(({ state }) => state === 'refused') ? EXIT.refused : EXIT.ok
}

function readTerms(flags: ReleaseContext['flags']): ReleaseTerms {
  const olderThanMs = parseDuration(flags['older-than'])
  if (olderThanMs === null) throw new CommandFailure(EXIT.usage, `--older-than must be ${DURATION_FORM}`, [])
  return { olderThanMs, force: flags.force }
}

type Held = { readonly pods: readonly HeldPod[]; readonly blind: readonly string[] }

async function listHeld(cluster: KubernetesConnection, config: Config, signal: AbortSignal): Promise<Held> {
  const pods: HeldPod[] = []
  const blind: string[] = []
  for (const namespace of await findNamespaces(cluster, config, signal)) {
    const place = namespace === null ? {} : { namespace }
    const list = await cluster.list({ resource: RESOURCES.pods, ...place, labelSelector: POOL_LABEL }, signal)
    signal.throwIfAborted()
    if (list.kind === 'blind') blind.push(`${namespace ?? 'all namespaces'}: ${describeReason(list.reason)}`)
    if (list.kind === 'seen') pods.push(...list.value.items.flatMap((object) => readHeldPod(object) ?? []))
  }
  return { pods, blind }
}

/** Null: all of them. */
async function findNamespaces(
  cluster: KubernetesConnection,
  { kubernetes: { namespaces } }: Config,
  signal: AbortSignal,
): Promise<readonly (string | null)[]> {
  if (namespaces.kind === 'all') return [null]
  if (namespaces.kind === 'named') return namespaces.names
  const access = await cluster.access(signal)
  return [(access.kind === 'seen' ? access.value.namespace : null) ?? 'default']
}

type Order = {
  readonly cluster: KubernetesConnection
  readonly lines: readonly ReleaseLine[]
  readonly terms: ReleaseTerms
}

async function releaseAll(context: ReleaseContext, { cluster, lines, terms }: Order): Promise<readonly ReleaseLine[]> {
  const { clock, signal } = context
  await using book = await openBook(context)
  const read = ({ namespace, name }: HeldPod) => cluster.get({ resource: RESOURCES.pods, namespace, name }, signal)
  const means = { ledger: book.ledger, clock, signal, finalizers: finalizerActs(cluster), read, terms }
  const warrant = {
    actor: book.actor,
    run: randomUUID(),
    epoch: null,
    cap: { run: null, set: null },
    abandonedAfterMs: ABANDONED_AFTER_MS,
  }
  const done: ReleaseLine[] = []
  for (const line of lines) {
    signal.throwIfAborted()
    done.push(line.state === 'would release' ? await releaseOne(line, means, warrant) : line)
  }
  return done
}

async function releaseOne(
  { pod }: ReleaseLine,
  means: Parameters<typeof releaseFinalizer>[1],
  warrant: Parameters<typeof releaseFinalizer>[2],
): Promise<ReleaseLine> {
  const result = await releaseFinalizer(pod, means, warrant)
  if (result.kind !== 'ended') return { pod, state: 'refused', why: 'another run has it under way' }
  const { outcome, why } = result
  if (outcome === 'done' || outcome === 'vanished') return { pod, state: 'released', why }
  return { pod, state: outcome === 'refused' ? 'refused' : 'failed', why }
}

type Book = AsyncDisposable & Pick<ActBook, 'ledger' | 'actor'>

/** Where nothing keeps a ledger the pods go all the same: it is the server that is gone, and with it its ledger. */
async function openBook(context: ReleaseContext): Promise<Book> {
  const { flags, terminal } = context
  try {
    return await openActBook(context, { evidence: flags.evidence })
  } catch (error) {
    if (flags.evidence !== undefined || !(error instanceof CommandFailure)) throw error
    terminal.notice('No ledger can be reached, so this leaves no row. With --evidence DIR it is kept in a folder.')
    const { store } = openMemoryStore()
    return { ledger: store.ledger, actor: 'user/unknown', [Symbol.asyncDispose]: async () => undefined }
  }
}
