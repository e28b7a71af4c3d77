import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNamespaces } from '#test/bundles/record/neighbours.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { RECORDINGS, createJanitor, unaudited } from './played-recordings.ts'
import { readDeaths, perform, untilRecorded } from './serve-deaths.ts'
import { expectSameElsewhere, watchNode } from './watched-node.ts'
import type { Cleanups, WatchedNode } from './watched-node.ts'

const audited = await testDatabase()
const dark = await testDatabase()

const TIMEOUT = { timeout: 1_800_000 }

type Setup = WatchedNode & { readonly darkServe: ServeProcess }

/** Other files have deaths on the same node. */
const NAMESPACES = [...RECORDINGS, unaudited].map(({ runner }) => runner.namespace)

async function setUp(cluster: NodeCluster, cleanups: Cleanups): Promise<Setup> {
  const watched = await watchNode(cluster, cleanups, {
    recordings: [...RECORDINGS, unaudited],
    database: audited.connectionString,
    namespaces: NAMESPACES,
  })
  const place = ['--data', join(watched.folder, 'b'), '-n', unaudited.runner.namespace]
  const kubeconfig = ['--kubeconfig', cluster.kubeconfig]
  const darkServe = await startServe([...kubeconfig, ...place], dark.connectionString, watched.environment)
  cleanups.push(() => darkServe.stop('SIGTERM'))
  return { ...watched, darkServe }
}

describeOnSharedNode('every death on a real node, end to end', (cluster) => {
  const played = new Map<string, Promise<PodName>>()
  const cleanups: Cleanups = []
  let setup: Setup

  beforeAll(async () => {
    setup = await setUp(cluster(), cleanups)
    await createNamespaces(cluster(), ['ops'])
    await createJanitor(cluster())
    for (const recording of [...RECORDINGS, unaudited]) {
      const playing = perform(cluster(), setup.github, recording)
      // Its test reports the failure.
      playing.catch(() => undefined)
      played.set(recording.name, playing)
    }
  }, 400_000)
  afterAll(async () => {
    await Promise.allSettled(played.values())
    for (const cleanup of cleanups.toReversed()) await cleanup()
  }, 60_000)

  const untilPlayed = async (name: string): Promise<PodName> =>
    (await played.get(name)) ?? Promise.reject(new Error(`${name} was not played`))

  test.for(RECORDINGS)(
    '$name is recorded once, with its cause, and its evidence gives the same verdict',
    TIMEOUT,
    async ({ name, expected }) => {
      const pod = await untilPlayed(name)
      const death = await untilRecorded(setup.serve, pod, expected.cause)
      expect(await readDeaths(setup.serve, pod)).toHaveLength(1)
      if (expected.actor !== null) expect(death.actor).toContain(expected.actor)
      await expectSameElsewhere(setup, death)
    },
  )

  test('a force-delete without an audit log names no actor, with less confidence', TIMEOUT, async () => {
    const pod = await untilPlayed(unaudited.name)
    const death = await untilRecorded(setup.darkServe, pod)
    expect(death.actor).toBeNull()
    expect(['force-deleted', 'unknown']).toContain(death.cause)
    const unasked = { source: 'kubernetes/audit', reason: 'not-asked: no audit log is configured' }
    expect(death.blind).toContainEqual(unasked)
    const informed = await untilRecorded(setup.serve, pod, 'force-deleted')
    expect(informed.confidence).toBeGreaterThan(death.confidence)
  })
})
