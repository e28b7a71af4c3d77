import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { startAgent } from '#test/agent/agent-process.ts'
import type { AgentProcess } from '#test/agent/agent-process.ts'
import { openGitHub } from '#test/bundles/record/github-side.ts'
import type { GitHubService } from '#test/bundles/record/github-side.ts'
import type { Recording } from '#test/bundles/record/setup.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { readEvidence, expectNothingEmpty, judgeExport } from './serve-deaths.ts'
import type { untilRecorded } from './serve-deaths.ts'

export type Cleanups = (() => PromiseLike<unknown>)[]

/** A node with its agent, a GitHub, and a `serve` that has an audit log. */
export type WatchedNode = {
  readonly folder: string
  readonly github: GitHubService
  readonly serve: ServeProcess
  readonly agent: AgentProcess
  readonly environment: Readonly<Record<string, string>>
}

type Plan = {
  readonly recordings: readonly Recording[]
  readonly database: string
  /** All of them if not given. */
  readonly namespaces?: readonly string[]
}

const START_WITHIN = '30s'

export async function watchNode(cluster: NodeCluster, cleanups: Cleanups, plan: Plan): Promise<WatchedNode> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-watch-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  const github = await openGitHub({ seed: 7, isImpatient: false })
  cleanups.push(() => github[Symbol.asyncDispose]())
  const tokenFile = join(folder, 'agent-token')
  await writeFile(tokenFile, randomUUID())
  const repositories = plan.recordings.map(({ repository }) => `acme/${repository}`)
  const environment = {
    ...github.environment,
    SIGNALBOX_GITHUB_OWNERS: [...new Set(repositories)].join(','),
    SIGNALBOX_KUBERNETES_START_WITHIN: START_WITHIN,
  }
  const where = plan.namespaces === undefined ? {} : { SIGNALBOX_KUBERNETES_NAMESPACES: plan.namespaces.join(',') }
  const log = ['--audit-log', cluster.auditLog, '--agent-token-file', tokenFile]
  const args = ['--kubeconfig', cluster.kubeconfig, '--data', join(folder, 'a'), ...log]
  const serve = await startServe(args, plan.database, { ...environment, ...where })
  cleanups.push(() => serve.stop('SIGTERM'))
  const { name, podLogs } = cluster.node
  const asked = ['--server', serve.url, '--node', name, '--token-file', tokenFile, '--pod-logs', podLogs]
  const agent = startAgent(asked)
  cleanups.push(() => agent.stop('SIGKILL'))
  await vi.waitFor(() => expect(agent.said()).toContain('connected to the server'), 120_000)
  return { folder, github, serve, agent, environment }
}

type Recorded = Awaited<ReturnType<typeof untilRecorded>>

/** `why` gives the same verdict for the exported evidence as `serve`. */
export async function expectSameElsewhere(
  { serve, folder }: WatchedNode,
  { uid, cause, actor, confidence }: Recorded,
): Promise<void> {
  expectNothingEmpty(await readEvidence(serve, uid))
  const { verdict } = await judgeExport(serve, uid, folder)
  expect(verdict).toMatchObject({ cause, actor, confidence })
}
