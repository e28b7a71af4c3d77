import { onTestFinished } from 'vitest'
import { seen } from '#/core/basics/observed.ts'
import { Secret } from '#/core/basics/secret.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { MintOrder, MintOutcome, Registration, RunnerGroup } from '#/ports/github.ts'
import type { PatchRequest, WriteOutcome } from '#/ports/kubernetes.ts'
import type { Store } from '#/ports/store/store.ts'
import { createDispatch } from '#/runtime/dispatch/dispatch.ts'
import type { Dispatch } from '#/runtime/dispatch/dispatch.ts'
import { createRunnerGroups } from '#/runtime/dispatch/runner-groups.ts'
import type { Reviewed, TokenReviews } from '#/runtime/dispatch/token-reviews.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { PutBreakers } from './put-breakers.ts'
import { declared, NAMESPACE, ownPod, PutPods, TEMPLATE } from './own-pods.ts'

type Mint = { readonly at: Registration; readonly order: MintOrder; readonly signal: AbortSignal | undefined }

/** Dispatch over a store, with a GitHub and a cluster that do what a test says. A token is the UID of its pod. */
export function dispatchWorld(
  store: Pick<Store, 'assignments'>,
  pool: RunnerPool = declarePool('linux'),
  reviews: TokenReviews | null = null,
) {
  const clock = createHandClock()
  const breakers = new PutBreakers()
  const ownPods = new PutPods()
  const minted: Mint[] = []
  const patched: PatchRequest[] = []
  const warnings: string[] = []
  const handedOut: number[] = []
  const world = {
    mint: async (_mint: Mint): Promise<MintOutcome | null> => null,
    patch: async (): Promise<WriteOutcome> => ({ kind: 'done', object: null }),
    groups: [] as readonly RunnerGroup[],
    review: null as Reviewed | null,
  }
  let marks = 0
  const mint = async (at: Registration, order: MintOrder, { signal }: { readonly signal?: AbortSignal } = {}) => {
    minted.push({ at, order, signal })
    const own = await world.mint({ at, order, signal })
    const runner = {
      id: minted.length,
      os: 'linux',
      status: 'offline',
      busy: false,
      ephemeral: true,
      groupId: 1,
    } as const
    const registered = { ...runner, name: order.name, labels: order.labels }
    return (
      own ?? ({ kind: 'minted', runner: registered, config: new Secret('jit-config', `jit of ${order.name}`) } as const)
    )
  }
  const github = { runners: { mint, groups: async () => seen(world.groups) } }
  const dispatch = createDispatch({
    assignments: store.assignments,
    pools: declared(pool),
    ownPods,
    breakers,
    clock,
    github,
    groups: createRunnerGroups({ github, clock }),
    kubernetes: {
      patch: async (request) => {
        patched.push(request)
        return await world.patch()
      },
    },
    reviews: reviews ?? {
      review: async (token) =>
        world.review ?? {
          kind: 'of-pod',
          pod: { uid: token ?? '', name: `linux-${token ?? ''}`, namespace: NAMESPACE },
        },
    },
    templateOf: () => TEMPLATE,
    mark: () => String((marks += 1)).padStart(8, '0'),
    mintWithinMs: 10_000,
    log: { warn: (message) => warnings.push(message), error: (message) => warnings.push(message) },
    handedOut: (job) => handedOut.push(job),
  })
  const stop = new AbortController()
  const running = dispatch.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  /** As the poller does; the pod is there unless it was put before. */
  const ask = async (uid: string, forMs = 0, signal = new AbortController().signal): ReturnType<Dispatch['ask']> => {
    if (ownPods.byUid(uid).kind === 'none') ownPods.put(ownPod(uid))
    return await dispatch.ask(uid, { forMs, signal })
  }
  return { world, clock, breakers, ownPods, minted, patched, warnings, handedOut, dispatch, ask }
}
