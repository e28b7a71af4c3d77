import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeClusterOptions } from '#test/cluster/cluster.ts'
import { processesIn } from '#test/cluster/cgroup.ts'
import { identify, listProcesses, sendSignal } from '#test/cluster/process-identity.ts'
import { readPod, untilPod } from '#test/cluster/pods.ts'
import { LONG_WORK } from '#test/bundles/record/runner-script.ts'
import type { RunnerPlay } from '#test/bundles/record/runner-script.ts'
import type { Recording, Setup } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, keepLastSeen, startWorking, untilEnded, untilGone } from '#test/bundles/record/setup.ts'

const MEBIBYTE = 1024 * 1024
/** The node is short of disk when this much more is used, which is far from the machine's own limits. */
const ROOM_MEBIBYTES = 700

/** A node whose kubelet thinks that little disk is left. */
export async function nodeWithLittleRoom(): Promise<NodeClusterOptions> {
  const { bavail, bsize } = await statfs('/var/lib')
  const threshold = Math.floor((bavail * bsize) / MEBIBYTE) - ROOM_MEBIBYTES
  return {
    kubeletConfig: { evictionHard: { 'nodefs.available': `${threshold}Mi` }, evictionPressureTransitionPeriod: '30s' },
  }
}

const working = (setup: Setup): RunnerPlay => ({
  job: setup.recording.job,
  wrapper: 'helper',
  trapsTerm: false,
  listener: LONG_WORK,
})

export const evictedNodePressure: Recording = {
  name: 'evicted-node-pressure',
  runner: { namespace: 'ci-video', name: 'video-4x8-s6d3p-runner-h2k9f' },
  repository: 'transcoder',
  job: 'render samples',
  step: 'make samples',
  expected: {
    cause: 'evicted-node-pressure',
    acceptable: [],
    mustNotBe: ['evicted-own-limit', 'disk-full', 'drain-without-trap', 'oom-container', 'force-deleted'],
    actor: 'kubelet',
    maxConfidence: null,
    why: 'The node ran short of disk (NodeHasDiskPressure, EvictionThresholdMet) and the kubelet evicted the runner: Failed/Evicted, DisruptionTarget TerminationByKubelet. The pod had no limit of its own.',
    trap: 'The runner wrote the disk full itself, but no limit of its own was reached.',
  },
  perform: async (setup) => {
    const filling = `dd if=/dev/zero of=/home/runner/_work/frames.raw bs=1M count=${2 * ROOM_MEBIBYTES}`
    const play = { ...working(setup), listener: ['take_job', 'work 8', filling, 'work 600'] }
    const volume = { name: 'work', emptyDir: {} }
    await startWorking(setup, { play, volumes: [{ volume, mountPath: '/home/runner/_work' }] })
    await untilEnded(setup, 180_000)
    setup.github.fallsSilent()
    await sleep(SETTLE_MS)
    return { subject: 'pod' }
  },
}

export const nodeSilent: Recording = {
  name: 'node-lost-silent',
  runner: { namespace: 'ci-spot', name: 'spot-8x16-d4v9n-runner-c7k2x' },
  repository: 'engine',
  job: 'nightly fuzz',
  step: 'cargo fuzz run parser',
  isGitHubImpatient: true,
  expected: {
    cause: 'node-lost',
    acceptable: [],
    mustNotBe: ['graceful-shutdown', 'force-deleted', 'runtime-fault', 'network-fault', 'drain-without-trap'],
    actor: null,
    maxConfidence: null,
    why: 'The node fell silent in the middle of the job: Ready Unknown ("Kubelet stopped posting node status"), the Lease is no longer renewed, NodeNotReady on the pod, then the taint eviction that nobody carries out: the pod still says Running. Collected from elsewhere; the node cannot be asked.',
    trap: 'A delete by the node controller stands in the audit log: it came after the node was gone.',
  },
  perform: async (setup) => {
    await startWorking(setup, { play: working(setup), spec: { tolerations: EVICTED_AT_ONCE, terminationGracePeriodSeconds: 5 } })
    await switchOff(setup)
    await untilPod(
      setup.cluster,
      setup.recording.runner,
      ({ metadata }) => metadata?.deletionTimestamp !== undefined,
      180_000,
    )
    await setup.github.givesUp()
    await sleep(SETTLE_MS)
    return { subject: 'job', from: 'elsewhere' }
  },
}

export const nodeRemoved: Recording = {
  name: 'node-lost-removed',
  runner: { namespace: 'ci-fleet', name: 'fleet-4x8-k8p2t-runner-w5d6r' },
  repository: 'fleet',
  job: 'replay',
  step: 'make replay',
  expected: {
    cause: 'node-lost',
    acceptable: [],
    mustNotBe: ['force-deleted', 'graceful-shutdown', 'runtime-fault', 'killed-in-container'],
    actor: 'pod-garbage-collector',
    maxConfidence: null,
    why: 'The machine went away and its Node object with it (as a cloud provider removes it); the pod garbage collector failed the pod and deleted it with grace 0, its container still running in the record (DisruptionTarget DeletionByPodGC).',
    trap: 'A delete with grace 0 of a running pod is what a force delete looks like.',
  },
  perform: async (setup) => {
    await startWorking(setup, { play: working(setup) })
    await switchOff(setup)
    await setup.cluster.kubectl(['delete', 'node', setup.cluster.node.name])
    await untilGone(setup, 180_000)
    setup.github.fallsSilent()
    await sleep(SETTLE_MS)
    return { subject: 'pod', from: 'elsewhere', lastSeen: await keepLastSeen(setup) }
  },
}

/** Shorter than the controller needs to see that all nodes of the cluster are away: then it evicts nobody. */
const EVICTED_AT_ONCE = ['not-ready', 'unreachable'].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 1,
}))

/** As a power cut: the kubelet, the runtime, and everything that they had started. */
async function switchOff({ cluster, recording }: Setup): Promise<void> {
  const { node } = cluster
  if ((await readPod(cluster, recording.runner)) === undefined) throw new Error('the runner is gone already')
  await node.killKubelet()
  await node.killContainerd()
  const shims = listProcesses().filter(
    ({ commandLine: [program = '', ...args] }) =>
      program.endsWith('containerd-shim-runc-v2') && args.some((arg) => arg.startsWith(cluster.folder)),
  )
  const pids = [...shims.map(({ pid }) => pid), ...(await processesIn(node.cgroups))]
  for (const identity of pids.map(identify)) sendSignal(identity, 'SIGKILL')
}
