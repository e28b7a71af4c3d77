import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startAgent } from '#test/agent/agent-process.ts'
import type { AgentProcess } from '#test/agent/agent-process.ts'
import { openGitHub } from '#test/bundles/record/github-side.ts'
import type { GitHubService } from '#test/bundles/record/github-side.ts'
import { createNamespaces } from '#test/bundles/record/neighbours.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeWithNode } from '#test/cluster/suites.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { PEOPLE, SCENES, hireJanitor, nodeSilent, unaudited } from './scenes.ts'
import { deathsOf, evidenceOf, expectNothingEmpty, perform, untilRecorded, whyOfExport } from './stage.ts'
import { standNode } from './standing-node.ts'

const audited = await testDatabase()
const dark = await testDatabase()

const TIMEOUT = { timeout: 900_000 }
const START_WITHIN = '30s'

const OPTIONS = {
  users: PEOPLE.map((name) => ({ name, groups: ['system:masters'] })),
  // A node that is silent is given up sooner, and speaks more often.
  controllerFlags: ['--node-monitor-grace-period=20s'],
  kubeletConfig: { nodeLeaseDurationSeconds: 20, nodeStatusReportFrequency: '5s' },
}

type Stage = {
  readonly folder: string
  readonly github: GitHubService
  /** With an audit log and an agent; the other has neither. */
  readonly serve: ServeProcess
  readonly agent: AgentProcess
  readonly darkServe: ServeProcess
}

async function setStage(cluster: NodeCluster, cleanups: (() => PromiseLike<unknown>)[]): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-watch-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  const github = await openGitHub({ seed: 7, isImpatient: false })
  cleanups.push(() => github[Symbol.asyncDispose]())
  const tokenFile = join(folder, 'agent-token')
  await writeFile(tokenFile, randomUUID())
  const repositories = [...SCENES, nodeSilent].map(({ repository }) => `acme/${repository}`)
  const env = {
    ...github.environment,
    SIGNALBOX_GITHUB_OWNERS: [...new Set(repositories)].join(','),
    SIGNALBOX_KUBERNETES_START_WITHIN: START_WITHIN,
  }
  const started = async (more: readonly string[], database: string): Promise<ServeProcess> => {
    const serve = await startServe(['--kubeconfig', cluster.kubeconfig, ...more], database, env)
    cleanups.push(() => serve.stop('SIGTERM'))
    return serve
  }
  const [serve, darkServe] = await Promise.all([
    started(
      ['--data', join(folder, 'a'), '--audit-log', cluster.auditLog, '--agent-token-file', tokenFile],
      audited.connectionString,
    ),
    started(['--data', join(folder, 'b'), '-n', unaudited.runner.namespace], dark.connectionString),
  ])
  const { name, podLogs } = cluster.node
  const where = ['--server', serve.url, '--node', name, '--token-file', tokenFile, '--pod-logs', podLogs]
  const agent = startAgent(where)
  cleanups.push(() => agent.stop('SIGKILL'))
  await vi.waitFor(() => expect(agent.said()).toContain('the server asks this agent'), 120_000)
  return { folder, github, serve, agent, darkServe }
}

describeWithNode(
  'every death on a real node, end to end',
  (cluster) => {
    const played = new Map<string, Promise<PodName>>()
    const cleanups: (() => PromiseLike<unknown>)[] = []
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

    const expectSameElsewhere = async ({
      uid,
      cause,
      actor,
      confidence,
    }: Awaited<ReturnType<typeof untilRecorded>>) => {
      expectNothingEmpty(await evidenceOf(stage.serve, uid))
      const { verdict } = await whyOfExport(stage.serve, uid, stage.folder)
      expect(verdict).toMatchObject({ cause, actor, confidence })
    }

    test.for(SCENES)(
      '$name is recorded once, with its cause, and its evidence says the same',
      TIMEOUT,
      async ({ name, expected }) => {
        const pod = await podOf(name)
        const death = await untilRecorded(stage.serve, pod, expected.cause)
        expect(await deathsOf(stage.serve, pod)).toHaveLength(1)
        if (expected.actor !== null) expect(death.actor).toContain(expected.actor)
        await expectSameElsewhere(death)
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

    // The last: it takes the node with it, and its agent.
    test('a lost kubelet is told as a lost node, and its agent as gone', TIMEOUT, async () => {
      await Promise.allSettled(played.values())
      await using _ = await standNode(cluster(), 'standing')
      const playing = perform(cluster(), stage.github, nodeSilent)
      await stage.agent.stop('SIGKILL')
      const pod = await playing
      const death = await untilRecorded(stage.serve, pod, 'node-lost')
      expect(await deathsOf(stage.serve, pod)).toHaveLength(1)
      const away = `unreachable: the agent of ${cluster().node.name} is away since `
      expect(death.blind).toContainEqual({ source: 'journal', reason: expect.stringContaining(away) as string })
      await expectSameElsewhere(death)
    })
  },
  OPTIONS,
)
