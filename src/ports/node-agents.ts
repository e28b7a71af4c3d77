import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { LogTail } from '#/ports/kubernetes.ts'
import type { PodOnHost, ThisHost } from '#/ports/this-host.ts'

/** The agents that run on the nodes and dial in. */
export type NodeAgents = {
  /** Blind: nobody serves this node, or its agent is away. */
  readonly of: (node: string) => NodeAgent | Blind
  /** Whose log files and counters the agents keep at hand from now on; those that are not named any more are kept until `stored`. */
  readonly watch: (pods: Iterable<WatchedPod>) => void
  /** All that is needed of this pod is durably written, or nothing is needed: its agent may let go of the logs and counters. */
  readonly stored: (node: string, uid: string) => void
}

/** A machine that is asked through its agent. What it was asked and did not answer is blind. */
export type NodeAgent = ThisHost & {
  /** `none`: the node has no log file of this pod, and its agent held none open. */
  readonly logs: (request: PodLogsRequest, signal: AbortSignal) => Promise<Observed<readonly PodLog[]>>
}

export type WatchedPod = PodOnHost & { readonly node: string }

export type PodLogsRequest = { readonly uid: string; readonly tailBytes: number }

export type PodLog = LogTail & {
  readonly container: string
  /** Of the container's run before the last restart. */
  readonly previous: boolean
}
