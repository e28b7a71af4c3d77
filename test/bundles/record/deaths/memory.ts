import { setTimeout as sleep } from 'node:timers/promises'
import type { Recording } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, startWorking, untilEnded } from '#test/bundles/record/setup.ts'

/** Doubles a string until the kernel ends the shell that holds it. */
const HOG = 'x=0123456789abcdef; while :; do x=$x$x; done'

export const oomContainer: Recording = {
  name: 'oom-container',
  runner: { namespace: 'ci-web', name: 'web-2x4-hn3q8-runner-d9c4x' },
  repository: 'storefront',
  job: 'e2e (chromium)',
  step: 'playwright test',
  decoys: ['delete-elsewhere'],
  expected: {
    cause: 'oom-container',
    acceptable: [],
    mustNotBe: ['oom-node', 'oom-step', 'killed-in-container', 'drain-without-trap', 'graceful-shutdown'],
    actor: null,
    maxConfidence: null,
    why: 'The kernel killed Runner.Listener, the main process, at the limit of 64 MiB; the container ended with 137/OOMKilled in that second. Nobody deleted the pod.',
    trap: 'An ordinary delete of another pod stands in the journal shortly before.',
  },
  perform: async (setup) => {
    const play = {
      job: setup.recording.job,
      wrapper: 'bare',
      trapsTerm: false,
      listener: ['take_job', 'work 10', HOG],
    } as const
    // The listener is the main process, as where an image has no wrapper.
    const container = { command: ['/home/runner/bin/Runner.Listener', 'run'] }
    await startWorking(setup, { play, memory: '64Mi', container })
    await untilEnded(setup)
    setup.github.fallsSilent()
    await sleep(SETTLE_MS)
    return { subject: 'pod' }
  },
}

export const oomStep: Recording = {
  name: 'oom-step',
  runner: { namespace: 'ci-front', name: 'front-8g-2xzmt-runner-d5c9n' },
  repository: 'storefront',
  job: 'vite build',
  step: 'npm run build',
  decoys: ['oom-elsewhere'],
  expected: {
    cause: 'oom-step',
    acceptable: [],
    mustNotBe: ['oom-container', 'job-failed', 'completed-normally', 'oom-node', 'killed-in-container'],
    actor: null,
    maxConfidence: null,
    why: 'The kernel killed node, a process of the job, at the limit of 64 MiB. The runner lived on, reported Failed and left with 0: Succeeded, 0/OOMKilled. GitHub has the failed job and its log.',
    trap: 'The reason OOMKilled says oom-container; the phase Succeeded and the exit code 0 say completed-normally; another pod was killed for memory too.',
  },
  perform: async (setup) => {
    const listener = [
      'take_job',
      'work 8',
      '/home/runner/bin/node',
      'code=$?',
      'echo "##[error]Process completed with exit code $code."',
      'worker ProcessInvokerWrapper "Finished process 119 with exit code $code, and elapsed time 00:00:03.7719204."',
      'work 2',
      'finish_job Failed 102',
      'leave',
    ]
    const play = {
      job: setup.recording.job,
      wrapper: 'helper',
      trapsTerm: false,
      listener,
      programs: { node: HOG },
    } as const
    await startWorking(setup, { play, memory: '64Mi' })
    await untilEnded(setup)
    const error = 'Process completed with exit code 137.'
    const log = ['##[group]Run npm run build', 'vite v7.1.4 building for production...', 'Killed', `##[error]${error}`]
    setup.github.endsJob('failure', { annotations: [error], log })
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}
