import type { MiddlewareHandler } from 'hono'
import type { Part, PartMeans } from '#/app/part/part.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Store } from '#/ports/store/store.ts'
import type { KeepMeans } from '#/runtime/ledger/keep-before-act.ts'
import type { Guards } from '#/server/access/auth.ts'
import { openBreakers } from './breakers.ts'
import { openDispatchEndpoint } from './endpoint.ts'
import { openPools } from './pools.ts'
import { openQueueApi } from './queue-api.ts'
import { openRecovery } from './recovery.ts'
import { NO_POOLS, openWebhooks } from './webhooks.ts'

type Means = PartMeans & {
  readonly store: Store
  /** The same database through connections of its own: GitHub waits for the answer to a webhook. */
  readonly forWebhooks: Pick<Store, 'assignments' | 'deliveries'>
  readonly ledger: Ledger
  readonly guards: Guards
  readonly admit: MiddlewareHandler
  readonly keep: Pick<KeepMeans, 'redact' | 'rules'>
  readonly kubernetes: Kubernetes | null
  readonly github: GitHub | null
}

/** Pools of our own: webhooks, pods, their jobs, and what brings back a job that was stranded. */
export async function openDispatch(add: (part: Part) => unknown, means: Means): Promise<void> {
  const { config, kubernetes, github, forWebhooks } = means
  const { dispatch } = config
  const breaking = openBreakers(means)
  add(breaking)
  if (dispatch === null || kubernetes === null || github === null) {
    add(openRecovery(null, means))
    add(openQueueApi(null, { ...means, breakers: breaking.breakers }))
    add(openWebhooks({ ...means, store: forWebhooks, pools: NO_POOLS }))
    return
  }
  const opened = await openPools({ ...means, dispatch, kubernetes })
  add(opened)
  const { pools, book, ownPods, templateOf } = opened
  const { breakers } = breaking
  add(openDispatchEndpoint({ ...means, dispatch, kubernetes, github, pools, ownPods, templateOf, breakers }))
  add(openQueueApi({ book, ownPods }, { ...means, breakers }))
  add(openRecovery({ kubernetes, github, pools, ownPods }, means))
  add(openWebhooks({ ...means, store: forWebhooks, pools }))
}
