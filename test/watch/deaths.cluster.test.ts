import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNamespaces } from '#test/bundles/record/neighbours.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { SCENES, hireJanitor, unaudited } from './scenes.ts'
import { deathsOf, perform, untilRecorded } from './stage.ts'
import { expectSameElsewhere, watchNode } from './watched-node.ts'
import type { Cleanups, WatchedNode } from './watched-node.ts'

const audited = await testDatabase()
const dark = await testDatabase()

const TIMEOUT = { timeout: 1_800_000 }

type Stage = WatchedNode & { readonly darkServe: ServeProcess }

/** Other files have deaths of their own on the same node. */
const NAMESPACES = [...SCENES, unaudited].map(({ runner }) => runner.namespace)

async function setStage(cluster: NodeCluster, cleanups: Cleanups): Promise<Stage> {
  const watched = await watchNode(cluster, cleanups, {
    recordings: [...SCENES, unaudited],
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
  let stage: Stage

  beforeAll(async () => {
    stage = await setStage(cluster(), cleanups)
    await createNamespaces(cluster(), ['ops'])
    await hireJanitor(cluster())
    for (const recording of [...SCENES, unaudited]) {
      const playing = perform(cluster(), stage.github, recording)
      // Its own test tells of it.
      playing.catch(() => undefined)
      played.set(recording.name, playing)
    }
  }, 400_000)
  afterAll(async () => {
    await Promise.allSettled(played.values())
    for (const cleanup of cleanups.toReversed()) await cleanup()
  }, 60_000)

  const podOf = async (name: string): Promise<PodName> =>
    (await played.get(name)) ?? Promise.reject(new Error(`nobody played ${name}`))

  test.for(SCENES)(
    '$name is recorded once, with its cause, and its evidence says the same',
    TIMEOUT,
    async ({ name, expected }) => {
      const pod = await podOf(name)
      const death = await untilRecorded(stage.serve, pod, expected.cause)
      expect(await deathsOf(stage.serve, pod)).toHaveLength(1)
      if (expected.actor !== null) expect(death.actor).toContain(expected.actor)
      await expectSameElsewhere(stage, death)
    },
  )

  test('a force-delete without an audit log names no actor, and says less surely what it was', TIMEOUT, async () => {
    const pod = await podOf(unaudited.name)
    const death = await untilRecorded(stage.darkServe, pod)
    expect(death.actor).toBeNull()
    expect(['force-deleted', 'unknown']).toContain(death.cause)
    const unasked = { source: 'kubernetes/audit', reason: 'not-asked: no audit log is configured' }
    expect(death.blind).toContainEqual(unasked)
    const informed = await untilRecorded(stage.serve, pod, 'force-deleted')
    expect(informed.confidence).toBeGreaterThan(death.confidence)
  })
})
