import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { ExpectedVerdict } from '#test/bundles/known-bundles.ts'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import type { NodeCluster, NodeClusterOptions } from '#test/cluster/cluster.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { readLog, readPod, untilPod } from '#test/cluster/pods.ts'
import { until } from '#test/cluster/until.ts'
import type { GitHubSide } from './github-side.ts'
import type { LastSeen } from './last-seen.ts'
import type { Decoy } from './neighbours.ts'
import { NODE } from './neutral-machine.ts'
import type { RunnerPod } from './runner-pod.ts'
import { createRunner } from './runner-pod.ts'

/** One death: how it is made, and what a verdict on it must be. */
export type Recording = {
  /** Of the bundle. */
  readonly name: string
  readonly runner: PodName
  readonly repository: string
  readonly job: string
  readonly step: string
  readonly isGitHubImpatient?: boolean
  readonly decoys?: readonly Decoy[]
  readonly expected: ExpectedVerdict
  /** Makes the death and says how the bundle is to be collected. */
  readonly perform: (setup: Setup) => Promise<CollectOrder>
}

/** Recordings that share a cluster of the same settings. */
export type Act = {
  readonly title: string
  readonly options: () => Promise<NodeClusterOptions>
  readonly recordings: readonly Recording[]
}

export type CollectOrder = {
  /** A person has a pod's name, or the page of a job. */
  readonly subject: 'pod' | 'job' | PodName
  /** `elsewhere`: the node can no longer be read. */
  readonly from?: 'node' | 'elsewhere'
  readonly lastSeen?: string
}

/** What a recording has at hand. */
export type Setup = {
  readonly cluster: NodeCluster
  readonly recording: Recording
  readonly github: GitHubSide
  /** Watches the runner's pod from its creation. */
  readonly lastSeen: LastSeen
  readonly since: Date
  /** For files that are not evidence. */
  readonly folder: string
}

export type SetupMeans = Pick<Setup, 'cluster' | 'recording'>

export async function startRunner({ cluster, recording }: SetupMeans, plan: RunnerPod): Promise<Pod> {
  return await createRunner(cluster, recording.runner, plan)
}

/** The runner is made, has its job and has worked on it for some seconds; GitHub knows. */
export async function startWorking(setup: Setup, plan: RunnerPod): Promise<void> {
  await startRunner(setup, plan)
  await untilSaid(setup, 'Running job: ')
  setup.github.takesJob()
  await sleep(WORK_MS)
}

const WORK_MS = 6000

export async function untilSaid({ cluster, recording }: SetupMeans, text: string, timeoutMs = 300_000): Promise<void> {
  await until({
    what: `"${text}" in the log of ${recording.runner.name}`,
    timeoutMs,
    probe: async () => {
      const log = await readLog(cluster, recording.runner, 'runner').catch(() => '')
      return log.includes(text) ? true : undefined
    },
  })
}

export async function untilEnded({ cluster, recording }: SetupMeans, timeoutMs = 300_000): Promise<Pod> {
  const isOver = (pod: Pod): boolean => /^(?:Failed|Succeeded)$/.test(pod.status?.phase ?? '')
  return await untilPod(cluster, recording.runner, isOver, timeoutMs)
}

export async function untilGone({ cluster, recording }: SetupMeans, timeoutMs = 300_000): Promise<void> {
  const probe = async (): Promise<true | undefined> =>
    (await readPod(cluster, recording.runner)) === undefined ? true : undefined
  await until({ what: `the end of pod ${recording.runner.name}`, timeoutMs, probe })
}

/** As a person or a service of that name, so that the audit log names it. */
export async function kubectlAs(cluster: NodeCluster, user: string, args: readonly string[]): Promise<string> {
  return await cluster.kubectl([`--kubeconfig=${await cluster.kubeconfigFor(user)}`, ...args])
}

/** Events, the kubelet's report and the last lines of the journal come a moment after the end. */
export const SETTLE_MS = 3000

export async function keepLastSeen({ lastSeen, folder, recording }: Setup): Promise<string> {
  return await lastSeen.keep(path.join(folder, `${recording.name}.json`))
}

const RECORDED = path.resolve(import.meta.dirname, '..', 'recorded')

/** Runs the real program and keeps what it wrote, as it wrote it. */
export async function collectBundle(
  setup: Setup,
  order: CollectOrder,
): Promise<{ readonly archive: string; readonly bytes: number }> {
  const { cluster, recording, github, since } = setup
  const archive = path.join(RECORDED, `${recording.name}.tar.gz`)
  const here = order.from === 'elsewhere' ? [] : ['--this-node', NODE]
  const kept = order.lastSeen === undefined ? [] : ['--last-seen', order.lastSeen]
  const window = ['--since', since.toISOString(), '--audit-log', cluster.auditLog]
  const where = ['--kubeconfig', cluster.kubeconfig, '--repo', github.repository, '-o', archive, '--force']
  const subject = describeSubject(setup, order.subject)
  const ran = await runSignalbox(['collect', subject, ...here, ...kept, ...window, ...where], {
    env: github.environment,
  })
  if (ran.code !== 0) throw new Error(`collect ${subject} ended with ${ran.code}: ${ran.stderr}`)
  const source = `recorded on Kubernetes ${await readVersion(cluster)} by signalbox collect`
  await writeFile(
    archive.replace('.tar.gz', '.expected.json'),
    `${JSON.stringify({ ...recording.expected, source }, null, 2)}\n`,
  )
  return { archive, bytes: (await stat(archive)).size }
}

function describeSubject({ recording, github }: Setup, subject: CollectOrder['subject']): string {
  if (subject === 'job') return github.jobAddress()
  const { namespace, name } = subject === 'pod' ? recording.runner : subject
  return `${namespace}/${name}`
}

async function readVersion(cluster: NodeCluster): Promise<string> {
  const { gitVersion } = (await cluster.callOk({ path: '/version' })) as { readonly gitVersion: string }
  return gitVersion.replace(/^v/, '')
}
