import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { createPod } from '#test/cluster/pods.ts'
import { toScaleSet } from '#test/bundles/record/runner-pod.ts'
import { LONG_WORK } from '#test/bundles/record/runner-script.ts'
import type { RunnerPlay } from '#test/bundles/record/runner-script.ts'
import type { Recording, Setup } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, keepLastSeen, kubectlAs, startWorking, untilEnded, untilGone } from '#test/bundles/record/setup.ts'
import { endsByShutdown } from './limits.ts'

/** Who acts; each has a token of the cluster. */
export const PEOPLE = ['arjen.k@acme.example', 'jane.doe@acme.example', 'runner-janitor'] as const

const working = (setup: Setup, trapsTerm: boolean): RunnerPlay => ({
  job: setup.recording.job,
  wrapper: 'helper',
  trapsTerm,
  listener: LONG_WORK,
})

export const gracefulDelete: Recording = {
  name: 'graceful-shutdown-delete',
  runner: { namespace: 'ci-mail', name: 'mail-2x4-6vkzd-runner-t9h4x' },
  repository: 'mailer',
  job: 'render templates',
  step: 'make render',
  expected: {
    cause: 'graceful-shutdown',
    acceptable: [],
    mustNotBe: ['force-deleted', 'drain-without-trap', 'job-failed', 'job-cancelled', 'completed-normally'],
    actor: 'arjen.k',
    maxConfidence: null,
    why: 'arjen.k@acme.example deleted the working runner in the ordinary way; it got SIGTERM, reported the shutdown to GitHub and left with 143. The second delete, by system:node with grace 0, is the kubelet that finishes the first.',
    trap: 'The last object has deletionGracePeriodSeconds 0, as after a force delete; the log is gone with the pod.',
  },
  perform: async (setup) => {
    const { namespace, name } = setup.recording.runner
    await startWorking(setup, { play: working(setup, true) })
    await kubectlAs(setup.cluster, 'arjen.k@acme.example', ['delete', 'pod', '-n', namespace, name])
    await untilGone(setup)
    endsByShutdown(setup.github)
    await sleep(SETTLE_MS)
    return { subject: 'job', lastSeen: await keepLastSeen(setup) }
  },
}

export const gracefulPreemption: Recording = {
  name: 'graceful-shutdown-preemption',
  runner: { namespace: 'ci-batch', name: 'spot-1x2-p8w3k-runner-f2j6v' },
  repository: 'simulator',
  job: 'sweep (7)',
  step: 'python sweep.py',
  expected: {
    cause: 'graceful-shutdown',
    acceptable: [],
    mustNotBe: ['force-deleted', 'drain-without-trap', 'evicted-node-pressure', 'unschedulable', 'job-failed'],
    actor: 'kube-scheduler',
    maxConfidence: null,
    why: 'The scheduler preempted the runner for a pod of higher priority (event Preempted, DisruptionTarget PreemptionByScheduler, delete by system:kube-scheduler). The runner trapped SIGTERM and left with 143.',
  },
  perform: async (setup) => {
    const { cluster, recording } = setup
    const cpu = await mostNodeMemory(cluster)
    const resources = { requests: { cpu, memory: '64Mi' } }
    await startWorking(setup, { play: working(setup, true), container: { resources } })
    await preempt(setup, cpu)
    await untilGone(setup)
    endsByShutdown(setup.github)
    await sleep(SETTLE_MS)
    await cluster.kubectl(['delete', 'pod', '-n', 'ops', `settlement-${recording.runner.name.slice(-5)}`, '--now'])
    return { subject: 'job', lastSeen: await keepLastSeen(setup) }
  },
}

/** So much that two such pods do not fit on the node. */
async function mostNodeMemory({ callOk, node }: NodeCluster): Promise<string> {
  const { status } = (await callOk({ path: `/api/v1/nodes/${node.name}` })) as Node
  return `${Number(status?.allocatable?.['cpu']) * 750}m`
}

/** Another team's pod with a higher priority, for which there is no room. */
async function preempt({ cluster, recording }: Setup, cpu: string): Promise<void> {
  const priority = { metadata: { name: 'settlement' }, value: 100_000, description: 'must run before the cut-off' }
  await cluster.callOk({ method: 'POST', path: '/apis/scheduling.k8s.io/v1/priorityclasses', body: priority })
  const container = {
    name: 'settlement',
    image: BUSYBOX_IMAGE,
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', 'sleep 600'],
    resources: { requests: { cpu, memory: '64Mi' } },
  }
  await createPod(cluster, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ops', name: `settlement-${recording.runner.name.slice(-5)}` },
    spec: {
      hostNetwork: true,
      priorityClassName: 'settlement',
      automountServiceAccountToken: false,
      containers: [container],
    },
  })
}

export const gracefulLiveness: Recording = {
  name: 'graceful-shutdown-liveness-probe',
  runner: { namespace: 'ci-mobile', name: 'android-4x8-x9vtl-runner-2fzqs' },
  repository: 'app-android',
  job: 'assemble',
  step: './gradlew assembleRelease',
  expected: {
    cause: 'graceful-shutdown',
    acceptable: [],
    mustNotBe: ['killed-in-container', 'job-cancelled', 'deadline-exceeded', 'force-deleted', 'drain-without-trap'],
    actor: 'kubelet',
    maxConfidence: null,
    why: 'The liveness probe failed twice and the kubelet stopped the container with SIGTERM; the runner trapped it and ended with 143. No delete in the audit log: the Unhealthy event names the probe.',
    trap: 'With restartPolicy Never the Killing event says only "Stopping container runner".',
  },
  perform: async (setup) => {
    const livenessProbe = {
      exec: { command: ['test', '!', '-f', '/tmp/stuck'] },
      periodSeconds: 3,
      failureThreshold: 2,
    }
    const play = { ...working(setup, true), listener: ['take_job', 'work 10', 'touch /tmp/stuck', 'work 600'] }
    await startWorking(setup, { play, container: { livenessProbe } })
    await untilEnded(setup)
    endsByShutdown(setup.github)
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}

export const drainWithoutTrap: Recording = {
  name: 'drain-without-trap',
  runner: { namespace: 'ci-ads', name: 'ads-4x8-n8qcd-runner-w3k7v' },
  repository: 'bidder',
  job: 'benchmarks',
  step: 'make bench',
  decoys: ['oom-elsewhere'],
  expected: {
    cause: 'drain-without-trap',
    acceptable: [],
    mustNotBe: ['oom-container', 'force-deleted', 'killed-in-container', 'graceful-shutdown', 'node-lost'],
    actor: 'arjen.k',
    maxConfidence: null,
    why: 'arjen.k@acme.example drained the node: an eviction, SIGTERM with 12 s of grace, no shutdown line, and SIGKILL when the grace ended: 137/Error. The last delete, by system:node with grace 0, finishes the eviction.',
    trap: '137 with an OOM line of another pod in the same minute; the last object has grace 0.',
  },
  perform: async (setup) => {
    const { cluster, recording } = setup
    await startWorking(setup, { play: working(setup, false), spec: { terminationGracePeriodSeconds: 12 } })
    const selector = `--pod-selector=actions.github.com/scale-set-name=${toScaleSet(recording.runner.name)}`
    await kubectlAs(cluster, 'arjen.k@acme.example', ['drain', cluster.node.name, '--force', '--delete-emptydir-data', selector])
    setup.github.fallsSilent()
    await untilGone(setup)
    await sleep(SETTLE_MS)
    return { subject: 'pod', lastSeen: await keepLastSeen(setup) }
  },
}

export const forceDeleted: Recording = {
  name: 'force-deleted',
  runner: { namespace: 'ci-search', name: 'search-8x16-c4p9t-runner-m2d7h' },
  repository: 'indexer',
  job: 'reindex',
  step: 'cargo run --release --bin reindex',
  expected: {
    cause: 'force-deleted',
    acceptable: [],
    mustNotBe: ['graceful-shutdown', 'drain-without-trap', 'node-lost', 'killed-in-container', 'completed-normally'],
    actor: 'jane.doe',
    maxConfidence: null,
    why: 'jane.doe@acme.example deleted the pod with gracePeriodSeconds 0 while the job ran; no delete by system:node follows, the last object is Running, and the kubelet saw REMOVE before the container ended, with 2 s of grace in place of 30.',
    trap: 'There is an ordinary Killing event and a SIGTERM, as in a graceful delete.',
  },
  perform: async (setup) => {
    const { namespace, name } = setup.recording.runner
    await startWorking(setup, { play: working(setup, false) })
    await kubectlAs(setup.cluster, 'jane.doe@acme.example', [
      'delete',
      'pod',
      '-n',
      namespace,
      name,
      '--force',
      '--grace-period=0',
    ])
    setup.github.fallsSilent()
    await untilGone(setup)
    await sleep(2 * SETTLE_MS)
    return { subject: 'pod', lastSeen: await keepLastSeen(setup) }
  },
}
