import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFolder } from '#test/postgres/folders.ts'
import { stoppableServer } from '#test/postgres/stoppable-server.ts'
import type { StoppableServer } from '#test/postgres/stoppable-server.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import type { PostgresStore } from '#test/store/open-postgres-store.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { countReports, findFault, keepDying, untilJudged, untilSaid } from './outage.ts'
import { startSimulatedCluster } from './simulated-cluster.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

const PER_SECOND = LONG_RUN ? 20 : 4
/** Beyond the loss of leadership. */
const BEYOND_MS = LONG_RUN ? 90_000 : 30_000
const TIMEOUT = { timeout: 600_000 }

type Kind = 'silent' | 'refuses'
const KINDS: readonly Kind[] = ['silent', 'refuses']

type World = {
  readonly server: StoppableServer
  readonly cluster: SimulatedCluster
  readonly start: () => Promise<ServeProcess>
  /** Only while the server answers. */
  readonly open: () => PostgresStore
}

async function setUp(): Promise<World> {
  const server = await stoppableServer(await openFolder())
  const data = await mkdtemp(join(tmpdir(), 'signalbox-outage-'))
  onTestFinished(() => rm(data, { recursive: true }))
  const cluster = await startSimulatedCluster({ withLogs: true })
  onTestFinished(() => cluster[Symbol.asyncDispose]())
  const start = async (): Promise<ServeProcess> => {
    const serve = await startServe(['--kubeconfig', cluster.kubeconfig, '--data', data], server.connectionString)
    onTestFinished(() => serve.stop('SIGKILL'))
    await untilSaid(serve, 'watching runner pods')
    return serve
  }
  const open = (): PostgresStore => {
    const opened = openPostgresStore(server.connectionString)
    onTestFinished(opened.close)
    return opened
  }
  return { server, cluster, start, open }
}

async function begin({ server }: World, kind: Kind): Promise<() => Promise<void>> {
  if (kind === 'refuses') {
    await server.kill()
    return server.start
  }
  server.freeze()
  return async () => server.thaw()
}

describe('while PostgreSQL is away', () => {
  it.each(LONG_RUN ? KINDS : ['silent' as const])(
    'and %s, every death is recorded, and judged once when it is back',
    TIMEOUT,
    async (kind) => {
      const world = await setUp()
      const serve = await world.start()
      const dying = keepDying(world.cluster, 'a', PER_SECOND)
      await untilSaid(serve, 'a runner died')
      const end = await begin(world, kind)
      await untilSaid(serve, 'leadership lost')
      await sleep(BEYOND_MS)
      const died = await dying.stop()
      await end()
      const store = world.open()
      const missing = await untilJudged(store, died)
      process.stderr.write(`outage, ${kind}: ${died.length} died, ${missing.length} missing\n`)
      expect(missing).toEqual([])
      const faults = await Promise.all(died.map((uid) => findFault(store, uid)))
      expect(faults.filter((fault) => fault !== null)).toEqual([])
      expect([...countReports(serve.said())].filter(([, times]) => times > 1)).toEqual([])
    },
  )
})
