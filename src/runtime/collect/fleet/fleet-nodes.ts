import { readNode } from '#/core/kubernetes/node-facts.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import { none } from '#/core/basics/observed.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { FleetLists } from './fleet-lists.ts'
import { NODE_SOURCES } from './fleet-plan.ts'
import type { FleetPlan } from './fleet-plan.ts'
import { inParallel } from '#/runtime/collect/request/in-parallel.ts'
import { NODE_PAGES, readNodePage, toNodeFile } from './node-evidence.ts'
import type { NodePage } from './node-evidence.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { createTimeLimit } from '#/runtime/collect/request/time-limit.ts'
import type { TimeLimit } from '#/runtime/collect/request/time-limit.ts'

/** As many as the connection to the API server carries side by side. */
const AT_ONCE = 16
/** A kubelet that lives answers within a second or two; one that does not must not hold up the others. */
const EACH_MS = 10_000
const HURRIED_MS = 3_000
const ALL_MS = 120_000

/** What every node says of itself; each is a source of its own. */
export async function* gatherNodes(
  means: Means,
  kubernetes: Kubernetes,
  { plan, lists }: { readonly plan: FleetPlan; readonly lists: FleetLists },
): AsyncGenerator<BundleFile> {
  const { clock, signal, progress } = means.request
  const pages = NODE_PAGES.filter(({ source }) => plan.has(source))
  if (pages.length === 0) return
  const why = lists.why('nodes')
  if (why !== null) return sayAll(means, plan, why)
  const names = askedInOrder(lists.items('nodes'))
  const limit = createTimeLimit({ clock, signal, eachMs: EACH_MS, hurriedMs: HURRIED_MS, allMs: ALL_MS })
  const ask = (node: string) =>
    askNode(kubernetes, limit, { node, pages: pages.filter((page) => isWanted(plan, page, node)) })
  let count = 0
  for await (const answered of inParallel(names, AT_ONCE, ask)) {
    signal.throwIfAborted()
    count += 1
    progress(`asking the nodes (${count} of ${names.length})`)
    for (const { node, page, answer } of answered) {
      const file = toNodeFile(means, page, { node, answer })
      if (file !== null) yield file
    }
  }
}

/** Those that are known not to answer come last, so that they take no time from the others. */
function askedInOrder(nodes: readonly KubeObject[]): readonly string[] {
  const silent = unreadyNodes(nodes)
  const names = nodes.map(({ metadata }) => metadata.name)
  return [...names.filter((name) => !silent.has(name)), ...names.filter((name) => silent.has(name))]
}

export function unreadyNodes(nodes: readonly KubeObject[]): ReadonlySet<string> {
  const unready = nodes.map(readNode).filter((node) => conditionAs(node, 'Ready', 'Unknown') !== null)
  return new Set(unready.map(({ name }) => name))
}

function isWanted(plan: FleetPlan, { source }: NodePage, node: string): boolean {
  return plan.nodes(source)?.has(node) ?? true
}

type Answered = { readonly node: string; readonly page: NodePage; readonly answer: Observed<string> }

async function askNode(
  kubernetes: Kubernetes,
  limit: TimeLimit,
  { node, pages }: { readonly node: string; readonly pages: readonly NodePage[] },
): Promise<readonly Answered[]> {
  const answered: Answered[] = []
  let silence: Observed<string> = none()
  for (const page of pages) {
    // Who did not answer the first question does not answer the second one either.
    const answer: Observed<string> =
      silence.kind === 'blind'
        ? silence
        : await limit.ask(`${node}: ${page.page}`, (signal) => readNodePage(kubernetes, page, { node, signal }))
    if (answer.kind === 'blind' && isSilence(answer.reason)) silence = answer
    answered.push({ node, page, answer })
  }
  return answered
}

/** The node does not answer, whatever is asked; the API server says so or says nothing. */
export function isSilence({ code }: BlindReason): boolean {
  return code === 'timeout' || code === 'unreachable' || code === 'server-error'
}

function sayAll({ answers }: Means, plan: FleetPlan, reason: BlindReason): void {
  for (const source of NODE_SOURCES) if (plan.has(source)) answers.blind(source, reason)
}
