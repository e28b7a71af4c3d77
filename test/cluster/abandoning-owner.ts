/**
 * A program for cluster.test.ts: it starts what its argument names, prints one line, and then waits to be killed.
 */
import { startApiServer, startNodeCluster } from './cluster.ts'
import { withFileLock } from './file-lock.ts'
import { busyboxPod, createNamespace, createPod, untilPhase } from './pods.ts'

/** A volume in memory is a mount below the kubelet's folder, which must be removed as well. */
const WITH_VOLUME = {
  spec: { volumes: [{ name: 'scratch', emptyDir: { medium: 'Memory' } }] },
  container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
}

export interface Announcement {
  readonly folder: string
}

function announce(folder: string): void {
  process.stdout.write(`${JSON.stringify({ folder } satisfies Announcement)}\n`)
}

async function main(what: string | undefined, lockFile = ''): Promise<void> {
  if (what === 'api-server') {
    announce((await startApiServer()).folder)
  } else if (what === 'node') {
    const cluster = await startNodeCluster({ machine: 'test-run' })
    const namespace = await createNamespace(cluster)
    const name = { namespace, name: 'orphan' }
    await createPod(cluster, busyboxPod({ ...name, script: 'sleep 3600', ...WITH_VOLUME }))
    await untilPhase(cluster, name, 'Running')
    announce(cluster.folder)
  } else {
    await withFileLock({ lockFile, onWait: () => undefined }, async () => {
      announce('')
      await new Promise(() => setInterval(() => undefined, 1000))
    })
  }
}

await main(process.argv[2], process.argv[3])
