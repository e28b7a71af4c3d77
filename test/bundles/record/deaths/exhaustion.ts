import { setTimeout as sleep } from 'node:timers/promises'
import type { Recording } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, startWorking, untilEnded } from '#test/bundles/record/setup.ts'

/** The kubelet's podPidsLimit of the node. */
export const PIDS_LIMIT = 128

export const pidsExhausted: Recording = {
  name: 'pids-exhausted',
  runner: { namespace: 'ci-load', name: 'load-2x4-v6c3h-runner-n9w4t' },
  repository: 'loadgen',
  job: 'stress',
  step: 'make stress',
  expected: {
    cause: 'pids-exhausted',
    acceptable: [],
    mustNotBe: ['process-crash', 'job-failed', 'oom-container', 'killed-in-container'],
    actor: null,
    maxConfidence: null,
    why: `The job started more processes than the ${PIDS_LIMIT} that the kubelet allows a pod: the kernel refused forks in this pod's cgroup, the shell of the listener could not fork and ended.`,
  },
  perform: async (setup) => {
    const listener = ['take_job', 'work 8', 'while :; do sleep 600 & done']
    await startWorking(setup, { play: { job: setup.recording.job, wrapper: 'bare', trapsTerm: false, listener } })
    await untilEnded(setup)
    setup.github.fallsSilent()
    await sleep(SETTLE_MS)
    return { subject: 'pod' }
  },
}

export const diskFull: Recording = {
  name: 'disk-full',
  runner: { namespace: 'ci-cache', name: 'cache-2x4-d8m5r-runner-j6p2c' },
  repository: 'artifacts',
  job: 'pack',
  step: 'tar -cf dist.tar dist',
  expected: {
    cause: 'disk-full',
    acceptable: [],
    mustNotBe: ['evicted-own-limit', 'evicted-node-pressure', 'job-failed', 'completed-normally', 'process-crash'],
    actor: null,
    maxConfidence: null,
    why: 'The volume under _work and _diag was full: the tool of the step got ENOSPC, then the worker could not write its own log and ended with an IOException. The kubelet evicted nobody: it counts no tmpfs against a disk.',
    trap: 'Succeeded with 0/Completed: the listener lived on and left cleanly.',
  },
  perform: async (setup) => {
    const listener = [
      'take_job',
      'work 8',
      'dd if=/dev/zero of=/home/runner/_work/dist.tar bs=1M count=64',
      'echo "System.IO.IOException: No space left on device : \'/home/runner/_work/_diag/Worker_$(date -u +%Y%m%d-%H%M%S)-utc.log\'"',
      'runner JobDispatcher "Return code 1 indicate worker encounter an unhandled exception or app crash, attach worker stdout/stderr to JobRequest result."',
      'runner JobDispatcher "Worker finished for job $GUID. Code: 1"',
      'runner JobDispatcher "Finish job with result \'Failed\' due to IOException."',
      'runner JobDispatcher "finish job request for job $GUID with result: Failed"',
      'print_line "Job $JOB completed with result: Failed"',
      'leave',
    ]
    const volume = { name: 'work', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } }
    const play = { job: setup.recording.job, wrapper: 'helper', trapsTerm: false, listener } as const
    await startWorking(setup, { play, volumes: [{ volume, mountPath: '/home/runner/_work' }] })
    await untilEnded(setup)
    setup.github.endsJob('failure', {
      annotations: ["System.IO.IOException: No space left on device : '/home/runner/_work/_diag/Worker.log'"],
      log: ['##[group]Run tar -cf dist.tar dist', 'tar: dist.tar: Cannot write: No space left on device'],
    })
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}

export const filesExhausted: Recording = {
  name: 'fd-exhausted',
  runner: { namespace: 'ci-watch', name: 'watch-2x4-r3k8f-runner-d6v9m' },
  repository: 'devserver',
  job: 'watch tests',
  step: 'npm run test:watch',
  expected: {
    cause: 'fd-exhausted',
    acceptable: [],
    mustNotBe: ['process-crash', 'completed-normally', 'pids-exhausted', 'disk-full'],
    actor: null,
    maxConfidence: null,
    why: 'A tool of the job opened more files than its limit of 16 allows (EMFILE, "Too many open files") and failed. The host has files enough.',
  },
  perform: async (setup) => {
    const listener = [
      'take_job',
      'work 8',
      '/home/runner/bin/watcher',
      'code=$?',
      'echo "##[error]Process completed with exit code $code."',
      'worker ProcessInvokerWrapper "Finished process 119 with exit code $code, and elapsed time 00:00:01.1204187."',
      'finish_job Failed 102',
      'leave',
    ]
    const making = 'for i in $(seq 40); do : > /tmp/page-$i.test.ts; done'
    const programs = { watcher: `${making}; ulimit -n 16; exec tail -n 1 /tmp/page-*.test.ts >/dev/null` }
    await startWorking(setup, {
      play: { job: setup.recording.job, wrapper: 'helper', trapsTerm: true, listener, programs },
    })
    await untilEnded(setup)
    const error = 'Process completed with exit code 1.'
    const log = [
      '##[group]Run npm run test:watch',
      "tail: can't open '/tmp/page-40.test.ts': Too many open files",
      `##[error]${error}`,
    ]
    setup.github.endsJob('failure', { annotations: [error], log })
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}
