import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { runOrThrow } from '#test/cluster/command.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { untilPod } from '#test/cluster/pods.ts'
import { LONG_WORK } from '#test/bundles/record/runner-script.ts'
import type { CollectOrder, Recording, Setup } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, startWorking, untilEnded } from '#test/bundles/record/setup.ts'

/** Calls itself until the stack is full: a real fault, which the kernel reports. */
const FAULT = 'f() { f; }; f'

export const killedInContainer: Recording = {
  name: 'killed-in-container',
  runner: { namespace: 'ci-qa', name: 'qa-2x4-9tvxk-runner-m4q8d' },
  repository: 'checkout',
  job: 'smoke',
  step: 'make smoke',
  decoys: ['oom-elsewhere'],
  expected: {
    cause: 'killed-in-container',
    acceptable: [],
    mustNotBe: ['oom-container', 'oom-step', 'drain-without-trap', 'oom-node', 'force-deleted'],
    actor: null,
    maxConfidence: null,
    why: 'A process of the job sent SIGKILL to the listener: 137/Error without a delete, a Killing event, a StopContainer line or an OOM line of this pod; memory was far from the limit.',
    trap: '137 with an OOM kill of another pod seconds before.',
  },
  perform: async (setup) => {
    const listener = ['take_job', 'work 8', '/home/runner/bin/cleanup.sh $$ &', 'work 600']
    await startWorking(setup, {
      play: {
        job: setup.recording.job,
        wrapper: 'bare',
        trapsTerm: false,
        listener,
        programs: { 'cleanup.sh': 'kill -9 $1' },
      },
    })
    return await ended(setup)
  },
}

export const segmentationFault: Recording = {
  name: 'process-crash-segv',
  runner: { namespace: 'ci-ml', name: 'ml-4x16-j5n8c-runner-r7t2w' },
  repository: 'ranker',
  job: 'unit tests',
  step: 'pytest',
  expected: {
    cause: 'process-crash',
    acceptable: [],
    mustNotBe: ['killed-in-container', 'oom-container', 'runtime-fault', 'job-failed'],
    actor: null,
    maxConfidence: null,
    why: 'Runner.Listener made a segmentation fault (a line of the kernel names it) and the container ended with 139/Error in that second. Nobody stopped it.',
  },
  perform: async (setup) => {
    const listener = ['take_job', 'work 8', FAULT]
    await startWorking(setup, { play: { job: setup.recording.job, wrapper: 'bare', trapsTerm: false, listener } })
    return await ended(setup)
  },
}

export const foldedFault: Recording = {
  name: 'process-crash-segv-folded',
  runner: { namespace: 'ci-tools', name: 'tools-2x4-z3v6k-runner-q8h5p' },
  repository: 'toolbox',
  job: 'lint',
  step: 'golangci-lint run',
  expected: {
    cause: 'process-crash',
    acceptable: [],
    mustNotBe: ['completed-normally', 'completion-handshake-lost', 'no-job-assigned', 'job-failed'],
    actor: null,
    maxConfidence: null,
    why: 'Runner.Listener made a segmentation fault in the middle of the job; the wrapper turned 139 into 0 ("Exiting with unknown error code: 139"), so the container is 0/Completed.',
    trap: 'Succeeded with 0/Completed is not a clean end.',
  },
  perform: async (setup) => {
    const listener = ['take_job', 'work 8', FAULT]
    await startWorking(setup, { play: { job: setup.recording.job, wrapper: 'helper', trapsTerm: false, listener } })
    return await ended(setup)
  },
}

export const abort: Recording = {
  name: 'process-crash-abort',
  runner: { namespace: 'ci-ios', name: 'cross-4x8-zq4nd-runner-h7c8r' },
  repository: 'app-ios',
  job: 'cross build',
  step: 'make cross',
  decoys: ['oom-elsewhere'],
  expected: {
    cause: 'process-crash',
    acceptable: [],
    mustNotBe: ['killed-in-container', 'oom-container', 'job-failed', 'job-cancelled'],
    actor: null,
    maxConfidence: null,
    why: 'The listener aborted: 134/Error, "Aborted" in the log. SIGABRT leaves no line of the kernel.',
    trap: 'The OOM line in the journal is of another pod.',
  },
  perform: async (setup) => {
    const listener = ['take_job', 'work 8', 'kill -ABRT $$']
    await startWorking(setup, { play: { job: setup.recording.job, wrapper: 'bare', trapsTerm: false, listener } })
    return await ended(setup)
  },
}

export const shimKilled: Recording = {
  name: 'runtime-fault-shim',
  runner: { namespace: 'ci-infra', name: 'infra-2x4-b4t7m-runner-s9k3d' },
  repository: 'terraform-live',
  job: 'plan',
  step: 'terraform plan',
  decoys: ['delete-elsewhere'],
  expected: {
    cause: 'runtime-fault',
    acceptable: [],
    mustNotBe: ['node-lost', 'killed-in-container', 'force-deleted', 'graceful-shutdown', 'process-crash'],
    actor: null,
    maxConfidence: null,
    why: 'The containerd shim of the pod was killed: "shim disconnected" of sandbox and container together, no StopContainer before, and containerd could not get an exit status: 255/Error. The node stayed Ready.',
    trap: 'No event at all, and a delete of another pod beside it.',
  },
  perform: async (setup) => {
    await startWorking(setup, {
      play: { job: setup.recording.job, wrapper: 'helper', trapsTerm: false, listener: LONG_WORK },
    })
    process.kill(await findShim(setup), 'SIGKILL')
    return await ended(setup)
  },
}

async function ended(setup: Setup): Promise<CollectOrder> {
  await untilEnded(setup)
  setup.github.fallsSilent()
  await sleep(SETTLE_MS)
  return { subject: 'pod' }
}

/** The parent of the container's first process. */
async function findShim({ cluster, recording }: Setup): Promise<number> {
  const toId = ({ status }: Pod): string | undefined => status?.containerStatuses?.[0]?.containerID
  // The kubelet reports to the API server a moment after the container runs.
  const pod = await untilPod(cluster, recording.runner, (one) => toId(one) !== undefined)
  const container = toId(pod)?.replace('containerd://', '') ?? 'none'
  const tasks = await runOrThrow('ctr', ['--address', cluster.node.containerdSocket, '-n', 'k8s.io', 'tasks', 'ls'])
  const pid = tasks
    .split('\n')
    .find((line) => line.startsWith(container))
    ?.split(/\s+/)[1]
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const parent = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
  const name = await readFile(`/proc/${parent}/cmdline`, 'utf8')
  if (!name.includes('containerd-shim')) throw new Error(`the parent of ${pid} is no shim: ${name}`)
  return parent
}
