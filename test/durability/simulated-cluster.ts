import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#/adapters/clock.ts'
import { BREAK_GLASS } from '#/core/guard/stamp.ts'
import { toFields } from '#/core/basics/fields.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { kubernetesFacade } from '#/sim/replay/kubernetes-facade.ts'
import { createObjectStore } from '#/sim/replay/object-store.ts'
import type { Written } from '#/sim/replay/play.ts'
import { runnerPod } from '#test/recorder/fake-cluster.ts'

/** Runner pods behind the address of an API server. No node runs them. */
export type SimulatedCluster = AsyncDisposable & {
  readonly kubeconfig: string
  /** A runner appears, is killed for its memory, and its pod goes. Resolves with its UID when it has been killed. */
  readonly live: (name: string) => Promise<string>
  /** A runner that somebody has broken the glass of; it stays. */
  readonly breakGlass: (name: string, reason: string) => void
  /** A runner appears, and lives until somebody deletes it by force. */
  readonly start: (name: string) => void
  readonly force: (name: string) => void
}

/** So that the recorder sees it alive, and as one that ended. */
const LIVES_MS = 300
const STAYS_MS = 1000
const READ_MS = 120_000

/** `withLogs`: each runner is on a node and prints a line with its name, and dies when somebody reads its log. */
export async function startSimulatedCluster({ withLogs = false } = {}): Promise<SimulatedCluster> {
  const store = createObjectStore()
  const read = new Set<string>()
  const readLog = (uid: string): readonly Written[] | null => {
    read.add(uid)
    const now = new Date().toISOString()
    const working = `${now.slice(0, 19).replace('T', ' ')}Z: Running job: build`
    return withLogs ? [`I am ${uid}`, working].map((text) => ({ at: 0, text: `${now} ${text}` })) : null
  }
  const served = await serveGitHub(kubernetesFacade({ store, clock: systemClock, readLog }))
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-simulated-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const config = {
    clusters: [{ name: 'c', cluster: { server: served.url } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'runners' } }],
    'current-context': 'x',
  }
  await writeFile(kubeconfig, JSON.stringify(config))
  const put = (name: string, wish: Parameters<typeof runnerPod>[0]): void => {
    const pod = runnerPod(wish)
    // Without a node nobody waits for its agent.
    const spec = withLogs ? pod['spec'] : { ...toFields(pod['spec']), nodeName: undefined }
    store.put('pods', toFields({ ...pod, spec, name }))
  }
  const untilRead = async (uid: string): Promise<void> => {
    const deadline = performance.now() + READ_MS
    while (!read.has(uid) && performance.now() < deadline) await sleep(20)
  }
  return {
    kubeconfig,
    start: (name) => put(name, { name, state: { running: { startedAt: new Date().toISOString() } } }),
    force: (name) => {
      put(name, { name, metadata: { deletionTimestamp: new Date().toISOString(), deletionGracePeriodSeconds: 0 } })
      store.remove('pods', { namespace: 'runners', name })
    },
    live: async (name) => {
      const startedAt = new Date().toISOString()
      put(name, { name, state: { running: { startedAt } } })
      await sleep(LIVES_MS)
      if (withLogs) await untilRead(`uid-${name}`)
      const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt, finishedAt: new Date().toISOString() }
      put(name, { name, phase: 'Failed', state: { terminated } })
      void sleep(STAYS_MS).then(() => store.remove('pods', { namespace: 'runners', name }))
      return `uid-${name}`
    },
    breakGlass: (name, reason) => put(name, { name, metadata: { annotations: { [BREAK_GLASS]: reason } } }),
    [Symbol.asyncDispose]: async () => {
      await served.stop()
      await rm(folder, { recursive: true })
    },
  }
}
