import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { nodeSilent } from './played-recordings.ts'
import { readDeaths, perform, untilRecorded } from './serve-deaths.ts'
import { standNode } from './standing-node.ts'
import { expectSameElsewhere, watchNode } from './watched-node.ts'
import type { Cleanups, WatchedNode } from './watched-node.ts'

const { connectionString } = await testDatabase()

const OPTIONS = {
  // A silent node is given up sooner, and a node reports more often.
  controllerFlags: ['--node-monitor-grace-period=20s'],
  kubeletConfig: { nodeLeaseDurationSeconds: 20, nodeStatusReportFrequency: '5s' },
}

describeWithPrivateNode(
  'a node that goes silent in the middle of a job',
  (cluster) => {
    const cleanups: Cleanups = []
    let watched: WatchedNode

    beforeAll(async () => {
      watched = await watchNode(cluster(), cleanups, { recordings: [nodeSilent], database: connectionString })
    }, 400_000)
    afterAll(async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup()
    }, 60_000)

    test('a lost kubelet is reported as a lost node, and its agent as gone', { timeout: 1_800_000 }, async () => {
      const { serve, agent, github } = watched
      await using _ = await standNode(cluster(), 'standing')
      const playing = perform(cluster(), github, nodeSilent)
      await agent.stop('SIGKILL')
      const pod = await playing
      const death = await untilRecorded(serve, pod, 'node-lost')
      expect(await readDeaths(serve, pod)).toHaveLength(1)
      const away = `unreachable: the agent on ${cluster().node.name} has been disconnected since `
      expect(death.blind).toContainEqual({ source: 'journal', reason: expect.stringContaining(away) as string })
      await expectSameElsewhere(watched, death)
    })
  },
  OPTIONS,
)
