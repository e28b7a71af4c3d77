import { openAuditLogFile } from '#/adapters/audit-log/audit-log-file.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { writeBundle } from '#/adapters/bundle/write-bundle.ts'
import { openThisHost } from '#/adapters/hosts/this-host.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openGitHub } from '#/app/open-github.ts'
import { openGitLab } from '#/app/open-gitlab.ts'
import { openLoki } from '#/app/open-loki.ts'
import { openHosts } from './agent-hosts.ts'
import type { Config } from '#/config/config.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { isSameSite } from '#/core/evidence/subject-argument.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { BundleFile, BundleWriting } from '#/ports/bundle.ts'
import { collectEvidence } from '#/runtime/collect/collect-evidence.ts'
import type { Evidence } from '#/runtime/collect/collect-evidence.ts'
import type { CollectRequest, FleetWish, LastSeen, Places, WindowWish } from '#/runtime/collect/request/request.ts'

/** What to collect from the configured fleet. */
export type LiveOrder = {
  readonly subject: SubjectArgument | null
  readonly window: WindowWish
  readonly logBytes: number
  readonly repositories: readonly string[]
  readonly auditLog: string | null
  readonly lastSeen: LastSeen | null
  readonly fleet: FleetWish
  readonly thisNode: {
    readonly name: string
    readonly directory: string | null
    readonly namespace: string | null
  } | null
}

export type LiveCollection = {
  readonly writing: BundleWriting
  /** Null when no bundle was written. */
  readonly meta: BundleMeta | null
  /** Names from the question that no source knows. */
  readonly unfound: readonly string[]
  /** Whether any source knows the subject. */
  readonly isKnown: boolean
}

type Command = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>

const JOURNAL_BYTES = 128 * 1024 * 1024

/** Collects into a bundle at the path. Throws a `CommandFailure` if nothing could be read. */
export async function collectLive(command: Command, order: LiveOrder, path: string): Promise<LiveCollection> {
  const { clock, signal, terminal } = command
  const { config } = await command.config()
  refuseForeignSite(order.subject, config)
  const network = await readNetwork(config)
  await using kubernetes = openCluster(config, network, clock)
  await using github = openGitHub(config, network, clock)
  await using gitlab = openGitLab(config, network, clock)
  await using logStore = openLoki(config, network, clock)
  const progress = terminal.progress('collecting')
  try {
    const places = await findPlaces({ config, kubernetes, order, signal })
    await using hosts = await openHosts(command, order.fleet)
    const evidence = collectEvidence({
      ...openSources(order),
      hosts: hosts?.read ?? null,
      logStore,
      places,
      kubernetes,
      github,
      gitlab: gitlab === null ? null : { api: gitlab, group: config.gitlab.group },
      githubUrl: config.github.baseUrl,
      clock,
      signal,
      progress: progress.say,
    })
    const draft = { files: unlessNothing(evidence), meta: evidence.meta }
    const writing = await writeBundle(path, draft, BUNDLE_LIMITS, signal)
    const meta = writing.kind === 'written' ? evidence.meta() : null
    return { writing, meta, unfound: evidence.unfound(), isKnown: evidence.isKnown() }
  } finally {
    progress.done()
  }
}

function openSources(
  order: LiveOrder,
): Pick<CollectRequest, 'subject' | 'window' | 'logBytes' | 'lastSeen' | 'fleet' | 'thisNode' | 'audit'> {
  const { subject, window, logBytes, lastSeen, fleet, thisNode, auditLog } = order
  return {
    subject,
    window,
    logBytes,
    lastSeen,
    fleet,
    thisNode: thisNode === null ? null : { name: thisNode.name, host: openHost(thisNode) },
    audit: auditLog === null ? null : openAuditLogFile(auditLog),
  }
}

function openHost({ directory, namespace }: NonNullable<LiveOrder['thisNode']>) {
  const journal = { program: 'journalctl', directory, namespace, maxBytes: JOURNAL_BYTES }
  return openThisHost({ journal, cgroupRoot: '/sys/fs/cgroup' })
}

/** A bundle in which every source is blind would look like evidence. */
async function* unlessNothing(evidence: Evidence): AsyncGenerator<BundleFile> {
  yield* evidence.files
  if (evidence.hasLooked()) return
  const reasons = [...evidence.meta().sources].flatMap(([source, answer]) =>
    answer.kind === 'blind' ? [`${source}: ${answer.reason}`] : [],
  )
  throw new CommandFailure(EXIT.blind, 'nothing could be read', [...reasons.slice(0, 3), 'see: signalbox doctor'])
}

async function findPlaces(given: {
  readonly config: Config
  readonly kubernetes: KubernetesConnection | null
  readonly order: LiveOrder
  readonly signal: AbortSignal
}): Promise<Places> {
  const { config, kubernetes, order, signal } = given
  const { namespaces } = config.kubernetes
  const access = namespaces.kind === 'context' ? await kubernetes?.access(signal) : undefined
  const context = (access?.kind === 'seen' ? access.value.namespace : null) ?? 'default'
  const owned = config.github.owners.filter((owner) => owner.includes('/'))
  return {
    namespaces: namespaces.kind === 'named' ? namespaces.names : namespaces.kind === 'context' ? [context] : [],
    isInsideOnly: namespaces.kind === 'named',
    repositories: [...new Set([...order.repositories, ...owned])],
    organizations: config.github.owners.filter((owner) => !owner.includes('/')),
  }
}

/** Job ids are unique per GitHub server: on another server the same id is another job. */
function refuseForeignSite(subject: SubjectArgument | null, { github }: Config): void {
  const site = subject === null || subject.kind === 'pod' ? null : subject.site
  if (site === null || isSameSite(site, github.baseUrl)) return
  throw new CommandFailure(EXIT.usage, `the URL belongs to ${site}, but the configured GitHub is ${github.baseUrl}`, [
    'set github.baseUrl, or use another configuration: --config',
  ])
}
