import { describeWithApiServer } from '#test/cluster/suites.ts'
import { kubernetesCredentials } from './kubernetes-credentials.ts'
import { kubernetesReads } from './kubernetes-reads.ts'
import { kubernetesRestart } from './kubernetes-restart.ts'
import { kubernetesRights } from './kubernetes-rights.ts'
import { kubernetesServed } from './kubernetes-served.ts'
import { kubernetesWatch } from './kubernetes-watch.ts'
import { kubernetesWrites } from './kubernetes-writes.ts'
import { realPodServer } from './real-pod-server.ts'

/** One API server for all. Config maps have no watch cache, so that compaction takes effect at once; pods have one, for bookmarks. */
describeWithApiServer(
  'the Kubernetes adapter on a real API server',
  (cluster) => {
    kubernetesServed(() => realPodServer(cluster().kubeconfig))
    kubernetesReads(cluster)
    kubernetesWrites(cluster)
    kubernetesRights(cluster)
    kubernetesCredentials(cluster)
    kubernetesWatch(cluster)
    kubernetesRestart(cluster)
  },
  {
    audit: 'off',
    users: [{ name: 'powerless', groups: [] }],
    apiServerFlags: ['--watch-cache-sizes=configmaps#0'],
  },
)
