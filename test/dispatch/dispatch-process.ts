import { parseArgs } from 'node:util'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { connectBy } from '#test/contracts/kubernetes-means.ts'
import { connectGitHub, startDispatchServer } from './dispatch-server.ts'
import { ownPod, PutPods } from './own-pods.ts'

/** A replica in a process of its own, which a test kills. Prints where it listens. */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    github: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
    kubeconfig: { type: 'string', default: '' },
    pod: { type: 'string', multiple: true, default: [] },
  },
  strict: true,
})
const { url } = await startDispatchServer({
  connectionString: values.database,
  github: connectGitHub(values.github, values.token),
  kubernetes: connectBy(values.kubeconfig),
  ownPods: new PutPods(...values.pod.map((uid) => ownPod(uid))),
  pool: declarePool('linux'),
})
process.stdout.write(`${url}\n`)
