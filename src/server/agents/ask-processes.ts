import { blind, seen } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { PodOnHost } from '#/ports/this-host.ts'
import type { PollRequest } from '#/protocol/poll.ts'
import { FIRST_WITH_PROCESSES } from '#/protocol/version.ts'
import type { Ask } from './node-agent.ts'

export type AskedContainer = { readonly uid: string; readonly container: string }

/** Null if the agent can be asked for processes. */
export function whyNoProcesses({ protocol, node, processes }: PollRequest): Blind | null {
  if (protocol < FIRST_WITH_PROCESSES) {
    return blind('unsupported', `the agent on ${node} is older and cannot be asked for processes: upgrade it`)
  }
  return processes === true
    ? null
    : blind('unsupported', `the agent on ${node} may not see processes: set agent.processes in the chart`)
}

/** Only of a runner that we watch: nobody may read the command lines of other pods on the node. */
export async function askProcesses(
  { node, ask, watched }: { readonly node: string; readonly ask: Ask; readonly watched: readonly PodOnHost[] },
  { uid, container }: AskedContainer,
  signal: AbortSignal,
): Promise<Observed<string>> {
  const pod = watched.find((one) => one.uid === uid)
  if (pod === undefined) return blind('not-asked', `signalbox serve watches no runner with the UID ${uid} on ${node}`)
  const known = pod.containers.find(({ name }) => name === container)
  if (known === undefined) return blind('not-asked', `the runner has no container ${container} that has started`)
  const answer = await ask({ kind: 'processes', containerId: known.id }, signal)
  const head = answer.kind === 'answered' ? answer.head : answer
  if (head.kind === 'blind' || head.kind === 'none') return head
  if (head.kind === 'processes') return seen(head.text)
  return blind('malformed', `the agent on ${node} answered with ${head.kind}, which was not asked for`)
}
