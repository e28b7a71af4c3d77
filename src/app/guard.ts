import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { WatchEvent } from '#/ports/kubernetes.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { createBusyLists } from '#/runtime/guard/busy-lists.ts'
import { createGlassWatch } from '#/runtime/guard/break-glass.ts'
import { guardMetrics } from '#/runtime/guard/guard-metrics.ts'
import { keepStamps } from '#/runtime/guard/keep-stamps.ts'
import type { ServedTerm } from '#/runtime/lead/loop.ts'
import { RunnerView } from '#/runtime/guard/runner-view.ts'
import type { WatchedKind } from '#/runtime/guard/runner-view.ts'
import type { GitHubConnection } from './open-github.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

type Means = PartMeans & {
  readonly kubernetes: KubernetesConnection
  readonly github: GitHubConnection | null
  readonly ledger: Ledger
  readonly audit: AuditLog | null
}

export type GuardPart = Part & {
  /** What the recorder hears from its watches; absent where nothing is stamped. */
  readonly heard?: (kind: WatchedKind, namespace: string, event: WatchEvent) => void
}

const AFTER_FAULT_MS = 1000

/** Stamps the runners that work, for the policies of `signalbox guard`. */
export function openGuard({ config, kubernetes, github, ledger, audit, ...means }: Means): GuardPart {
  if (!config.guard.stamp) return { dispose: nothingToDispose }
  const view = new RunnerView()
  const glass = createGlassWatch({ ...means, ledger, audit })
  const { baseUrl: githubUrl, owners } = config.github
  const busy = createBusyLists({ ...means, github, githubUrl, owners })
  const metrics = guardMetrics(means.metrics)
  const run = (signal: AbortSignal, term: ServedTerm): Promise<void> =>
    keepStamps({ ...means, kubernetes, view, busy, glass, metrics, term }, signal)
  return {
    heard: (kind, namespace, event) => {
      glass.hear(event)
      view.hear(kind, namespace, event)
    },
    // Two that stamp do no harm: each change names the version that was judged.
    leaderLoops: [{ name: 'guard', everyMs: AFTER_FAULT_MS, run, goesOnWithoutStore: true }],
    dispose: nothingToDispose,
  }
}
