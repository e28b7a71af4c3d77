import { afterAll } from 'vitest'
import { none, seen } from '#/core/basics/observed.ts'
import { Secret } from '#/core/basics/secret.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { MintOrder, MintOutcome, Registration } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { startDispatchServer } from './dispatch-server.ts'
import type { DispatchServer } from './dispatch-server.ts'
import { NAMESPACE, ownPod, PutPods } from './own-pods.ts'

/** Replicas on one database, with a cluster and a GitHub that answer at once. A token is the UID of its pod. */
export function reachableWorld(connectionString: string, pool = declarePool('linux')) {
  const ownPods = new PutPods()
  const world = { onMint: async (_at: Registration): Promise<MintOutcome | null> => null }
  let minted = 0
  const kubernetes: Pick<Kubernetes, 'reviewToken' | 'patch'> = {
    reviewToken: async ({ token }) =>
      ownPods.byUid(token).kind === 'seen'
        ? seen({
            kind: 'valid',
            username: `system:serviceaccount:${NAMESPACE}:linux`,
            groups: [],
            pod: { name: `linux-${token}`, uid: token },
          })
        : seen({ kind: 'invalid', message: 'unknown' }),
    patch: async () => ({ kind: 'done', object: null }),
  }
  const mint = async (at: Registration, { name, labels }: MintOrder): Promise<MintOutcome> => {
    const own = await world.onMint(at)
    if (own !== null) return own
    minted += 1
    const runner = { id: minted, name, os: 'linux', status: 'offline', busy: false, ephemeral: true, labels } as const
    return { kind: 'minted', runner: { ...runner, groupId: 1 }, config: new Secret('jit-config', `jit-${name}`) }
  }
  const github = { runners: { mint, groups: async () => none() } }
  const servers: DispatchServer[] = []
  afterAll(async () => {
    for (const { stop } of servers) await stop()
  })
  const start = async (): Promise<DispatchServer> => {
    const server = await startDispatchServer({ connectionString, kubernetes, github, ownPods, pool })
    servers.push(server)
    return server
  }
  const putPods = (...uids: readonly string[]): void => {
    for (const uid of uids) ownPods.put(ownPod(uid))
  }
  return { world, ownPods, putPods, start }
}
