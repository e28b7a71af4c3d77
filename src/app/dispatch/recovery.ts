import type { MiddlewareHandler } from 'hono'
import { githubActs } from '#/adapters/github/acts.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'
import { mapSeen } from '#/core/basics/observed.ts'
import type { GitHub } from '#/ports/github.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { OwnPods, Pools } from '#/ports/pools.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { recoveryMetrics } from '#/runtime/recovery/metrics.ts'
import { recoveryLoops } from '#/runtime/recovery/run-loops.ts'
import type { RecoveryLoops } from '#/runtime/recovery/run-loops.ts'
import type { Guards } from '#/server/access/auth.ts'
import { recoverApi } from '#/server/recovery/recover.ts'

export type RecoveryWorld = {
  readonly kubernetes: Pick<Kubernetes, 'get'>
  readonly github: Pick<GitHub, 'jobs' | 'runners' | 'access'>
  readonly pools: Pools
  readonly ownPods: OwnPods
}

type Means = PartMeans & {
  readonly store: { readonly assignments: Assignments }
  readonly ledger: Ledger
  readonly guards: Guards
  readonly admit: MiddlewareHandler
}

/** The recovery loops of own pools, and `/v1/recover`. `world` null: this server has no pools of its own. */
export function openRecovery(world: RecoveryWorld | null, means: Means): Part {
  const { guards, clock, admit } = means
  const loops = world === null ? null : openLoops(world, means)
  const handler = recoverApi({ guards, clock, admit, dryRun: loops?.dryRun ?? null })
  return {
    routes: [{ path: '/v1/recover', handler }],
    leaderLoops: loops?.leaderLoops ?? [],
    dispose: nothingToDispose,
  }
}

function openLoops({ kubernetes, github, pools, ownPods }: RecoveryWorld, means: Means): RecoveryLoops {
  const { config, store, ledger, clock, log, metrics } = means
  return recoveryLoops({
    assignments: store.assignments,
    ledger,
    github,
    acts: githubActs(github.runners),
    pools,
    pods: ownPods,
    askPod: async ({ namespace, pod }, signal) => {
      const found = await kubernetes.get({ resource: RESOURCES.pods, namespace, name: pod }, signal)
      return mapSeen(found, ({ metadata }) => metadata.uid)
    },
    clock,
    log,
    metrics: recoveryMetrics(metrics),
    mintWithinMs: config.dispatch?.mintWithinMs ?? 0,
    disabled: new Set(config.recovery.disabled),
  })
}
