import { setTimeout as sleep } from 'node:timers/promises'
import { LONG_WORK } from '#test/bundles/record/runner-script.ts'
import type { RunnerPlay } from '#test/bundles/record/runner-script.ts'
import type { Recording } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, startWorking, untilEnded } from '#test/bundles/record/setup.ts'

export const evictedOwnLimit: Recording = {
  name: 'evicted-own-limit',
  runner: { namespace: 'ci-data', name: 'data-4x8-r7h2v-runner-k3m9q' },
  repository: 'warehouse',
  job: 'export fixtures',
  step: 'make fixtures',
  expected: {
    cause: 'evicted-own-limit',
    acceptable: [],
    mustNotBe: ['oom-container', 'drain-without-trap', 'evicted-node-pressure', 'disk-full', 'force-deleted'],
    actor: 'kubelet',
    maxConfidence: null,
    why: 'The emptyDir "work" went over its sizeLimit of 32Mi and the kubelet evicted the pod with a grace of 2 s; the runner ignored SIGTERM and was killed. No pressure on the node, no delete in the audit log.',
    trap: '137 after a SIGTERM looks like a drain.',
  },
  perform: async (setup) => {
    const listener = [
      'take_job',
      'work 6',
      'dd if=/dev/zero of=/home/runner/_work/fixtures.bin bs=1M count=60',
      'work 600',
    ]
    const play = { job: setup.recording.job, wrapper: 'helper', trapsTerm: false, listener } as const
    const volume = { name: 'work', emptyDir: { sizeLimit: '32Mi' } }
    await startWorking(setup, { play, volumes: [{ volume, mountPath: '/home/runner/_work' }] })
    await untilEnded(setup)
    setup.github.fallsSilent()
    await sleep(SETTLE_MS)
    return { subject: 'pod' }
  },
}

export const deadlineExceeded: Recording = {
  name: 'deadline-exceeded',
  runner: { namespace: 'ci-nightly', name: 'nightly-t6f2d-runner-v4s8b' },
  repository: 'platform',
  job: 'integration (3)',
  step: 'go test ./integration/...',
  decoys: ['delete-elsewhere'],
  expected: {
    cause: 'deadline-exceeded',
    acceptable: [],
    mustNotBe: ['graceful-shutdown', 'job-timed-out', 'job-cancelled', 'force-deleted'],
    actor: 'kubelet',
    maxConfidence: null,
    why: 'activeDeadlineSeconds is 75; that long after startTime the kubelet set Failed/DeadlineExceeded and stopped the container with SIGTERM. The runner trapped it and ended with 143. Nobody deleted the pod.',
    trap: 'The shutdown lines of the runner and the delete of another pod say graceful-shutdown.',
  },
  perform: async (setup) => {
    const play: RunnerPlay = { job: setup.recording.job, wrapper: 'helper', trapsTerm: true, listener: LONG_WORK }
    await startWorking(setup, { play, spec: { activeDeadlineSeconds: 75 } })
    await untilEnded(setup)
    endsByShutdown(setup.github)
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}

/** A runner that gets SIGTERM and still works reports it to GitHub. */
export function endsByShutdown(github: Parameters<Recording['perform']>[0]['github']): void {
  const [signal, cancelled] = [
    'The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.',
    'The operation was canceled.',
  ]
  github.endsJob('failure', { annotations: [signal, cancelled], log: [`##[error]${signal}`, `##[error]${cancelled}`] })
}
