import { none, seen } from '#/core/basics/observed.ts'
import { Secret } from '#/core/basics/secret.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { startDispatchServer } from '#test/dispatch/dispatch-server.ts'
import { NAMESPACE, ownPod, PutPods } from '#test/dispatch/own-pods.ts'

/** A replica whose cluster and GitHub answer at once: what is left is our own time. A token is the UID of its pod. */
const ownPods = new PutPods()
let minted = 0
const { url } = await startDispatchServer({
  connectionString: process.argv[2] ?? '',
  ownPods,
  pool: declarePool('linux', { github: { repositories: Array.from({ length: 20 }, (_, index) => `r${index}`) } }),
  kubernetes: {
    reviewToken: async ({ token }) => {
      ownPods.put(ownPod(token))
      const pod = { name: `linux-${token}`, uid: token }
      return seen({ kind: 'valid', username: `system:serviceaccount:${NAMESPACE}:linux`, groups: [], pod })
    },
    patch: async () => ({ kind: 'done', object: null }),
  },
  github: {
    runners: {
      mint: async (_at, { name, labels }) => {
        minted += 1
        const runner = {
          id: minted,
          name,
          os: 'linux',
          status: 'offline',
          busy: false,
          ephemeral: true,
          labels,
        } as const
        return { kind: 'minted', runner: { ...runner, groupId: 1 }, config: new Secret('jit-config', 'x'.repeat(4096)) }
      },
      groups: async () => none(),
    },
  },
})
process.stderr.write(`listening ${url}\n`)
