import { setTimeout as sleep } from 'node:timers/promises'
import type { RunnerPlay } from '#test/bundles/record/runner-script.ts'
import type { Recording, Setup } from '#test/bundles/record/setup.ts'
import {
  SETTLE_MS,
  keepLastSeen,
  kubectlAs,
  startRunner,
  startWorking,
  untilEnded,
  untilGone,
  untilSaid,
} from '#test/bundles/record/setup.ts'

const play = (setup: Setup, listener: readonly string[]): RunnerPlay => ({
  job: setup.recording.job,
  wrapper: 'helper',
  trapsTerm: true,
  listener,
})

export const completedThenReaped: Recording = {
  name: 'completed-normally-reaped',
  runner: { namespace: 'ci-libs', name: 'libs-1x2-f7q2s-runner-b4n8v' },
  repository: 'libs',
  job: 'test',
  step: 'npm test',
  decoys: ['oom-elsewhere'],
  expected: {
    cause: 'completed-normally',
    acceptable: [],
    mustNotBe: ['force-deleted', 'completion-handshake-lost', 'graceful-shutdown', 'no-job-assigned', 'oom-container'],
    actor: null,
    maxConfidence: null,
    why: 'The job succeeded, GitHub knows, the container ended with 0/Completed. runner-janitor removed the object with grace 0 seconds later: reaping, not killing.',
    trap: 'A delete with gracePeriodSeconds 0 in the audit log and an OOM of another pod.',
  },
  perform: async (setup) => {
    const { namespace, name } = setup.recording.runner
    await startWorking(setup, { play: play(setup, ['take_job', 'work 8', 'finish_job Succeeded 100', 'leave']) })
    await untilEnded(setup)
    setup.github.endsJob('success', { log: ['##[group]Run npm test', '142 passing'] })
    await sleep(2 * SETTLE_MS)
    await kubectlAs(setup.cluster, 'runner-janitor', [
      'delete',
      'pod',
      '-n',
      namespace,
      name,
      '--force',
      '--grace-period=0',
    ])
    await untilGone(setup)
    await sleep(SETTLE_MS)
    return { subject: 'job', lastSeen: await keepLastSeen(setup) }
  },
}

export const handshakeLost: Recording = {
  name: 'completion-handshake-lost',
  runner: { namespace: 'ci-api', name: 'api-2x4-g5k9x-runner-w7c3m' },
  repository: 'api',
  job: 'contract',
  step: 'make contract',
  isGitHubImpatient: true,
  expected: {
    cause: 'completion-handshake-lost',
    acceptable: [],
    mustNotBe: [
      'completed-normally',
      'node-lost',
      'force-deleted',
      'killed-in-container',
      'network-fault',
      'oom-container',
    ],
    actor: null,
    maxConfidence: null,
    why: 'The job succeeded on the runner and the container ended with 0/Completed; GitHub never learned of it and says that it lost communication.',
    trap: 'Lost communication is the question, not the answer: nothing killed this runner.',
  },
  perform: async (setup) => {
    const listener = ['take_job', 'work 8', 'finish_job Succeeded 100', 'leave']
    await startWorking(setup, { play: play(setup, listener) })
    await untilEnded(setup)
    await setup.github.givesUp()
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}

export const jobFailed: Recording = {
  name: 'job-failed',
  runner: { namespace: 'ci-lint', name: 'lint-1x2-h2p6d-runner-k8t4z' },
  repository: 'console',
  job: 'eslint',
  step: 'npm run lint',
  decoys: ['oom-elsewhere', 'delete-elsewhere'],
  expected: {
    cause: 'job-failed',
    acceptable: [],
    mustNotBe: ['oom-step', 'process-crash', 'graceful-shutdown', 'completed-normally', 'killed-in-container'],
    actor: null,
    maxConfidence: null,
    why: 'A step ended with exit code 1; the runner reported Failed and left with 0/Completed. Nothing happened to the pod.',
    trap: 'An OOM kill and a delete of other pods in the same minute.',
  },
  perform: async (setup) => {
    const error = 'Process completed with exit code 1.'
    const said = [
      'worker ProcessInvokerWrapper "Finished process 812 with exit code 1, and elapsed time 00:00:07.1204187."',
      `echo '##[error]${error}'`,
    ]
    await startWorking(setup, { play: play(setup, ['take_job', 'work 8', ...said, 'finish_job Failed 102', 'leave']) })
    await untilEnded(setup)
    const log = [
      '##[group]Run npm run lint',
      '  12:7  error  Unexpected var  no-var',
      '1 problem (1 error, 0 warnings)',
      `##[error]${error}`,
    ]
    setup.github.endsJob('failure', { annotations: [error], log })
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}

/** The server cancelled the job, and the runner obeys. */
const CANCELLING = [
  'runner JobDispatcher "Job cancellation request $GUID received, cancellation timeout 5 minutes."',
  'worker Worker "Cancellation/Shutdown message received."',
  'worker StepsRunner "Cancel current running step."',
  "echo '##[error]The operation was canceled.'",
  'work 2',
  'finish_job Canceled 103',
  'leave',
]

export const jobCancelled: Recording = {
  name: 'job-cancelled',
  runner: { namespace: 'ci-preview', name: 'preview-2x4-m7r3v-runner-c5x9g' },
  repository: 'site',
  job: 'preview',
  step: 'npm run build',
  expected: {
    cause: 'job-cancelled',
    acceptable: [],
    mustNotBe: ['graceful-shutdown', 'drain-without-trap', 'job-failed', 'force-deleted', 'killed-in-container'],
    actor: null,
    maxConfidence: null,
    why: 'The server cancelled the job (a newer run of the same concurrency group); the runner stopped the step, reported Canceled and left with 0/Completed. Nobody touched the pod.',
    trap: '"Cancellation/Shutdown message received" stands in the log of a shutdown too.',
  },
  perform: async (setup) => {
    await startWorking(setup, { play: play(setup, ['take_job', 'work 8', ...CANCELLING]) })
    await untilEnded(setup)
    const reasons = [
      "Canceling since a higher priority waiting request for 'preview-482' exists",
      'The operation was canceled.',
    ]
    setup.github.endsJob('cancelled', {
      annotations: reasons,
      log: ['##[group]Run npm run build', '##[error]The operation was canceled.'],
    })
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}

export const noJobAssigned: Recording = {
  name: 'no-job-assigned',
  runner: { namespace: 'ci-burst', name: 'burst-1x2-t3w8k-runner-p6d4n' },
  repository: 'gateway',
  job: 'unit',
  step: 'go test ./...',
  decoys: ['delete-elsewhere'],
  expected: {
    cause: 'no-job-assigned',
    acceptable: [],
    mustNotBe: [
      'completed-normally',
      'completion-handshake-lost',
      'graceful-shutdown',
      'job-cancelled',
      'registration-denied',
    ],
    actor: null,
    maxConfidence: null,
    why: 'The job was cancelled before the runner could acquire it: the acknowledgement found no job and the ephemeral runner left with 0/Completed. It never ran one.',
    trap: '0/Completed without a job is not a completed job.',
  },
  perform: async (setup) => {
    const listener = [
      'listen',
      'runner BrokerMessageListener "Acknowledging runner request \'$GUID\'."',
      'runner Runner "Acknowledge returned job-not-found for ephemeral runner request \'$GUID\'. Exiting runner."',
      'runner Runner "Deleting Runner Session..."',
      'runner Listener "Runner execution has finished with return code 0"',
      'exit 0',
    ]
    await startRunner(setup, { play: play(setup, listener) })
    await untilSaid(setup, 'Listening for Jobs')
    setup.github.comesOnline()
    await untilEnded(setup)
    setup.github.endsJob('cancelled')
    setup.github.fallsSilent()
    await sleep(SETTLE_MS)
    return { subject: 'pod' }
  },
}

export const jobTimedOut: Recording = {
  name: 'job-timed-out',
  runner: { namespace: 'ci-slow', name: 'slow-2x4-q6m9h-runner-x3p7b' },
  repository: 'reports',
  job: 'monthly report',
  step: 'python report.py',
  expected: {
    cause: 'job-timed-out',
    acceptable: [],
    mustNotBe: ['graceful-shutdown', 'job-failed', 'deadline-exceeded', 'killed-in-container'],
    actor: null,
    maxConfidence: null,
    why: 'timeout-minutes is 1: after a minute the server cancelled the job, with an annotation that says so; the runner stopped the step and left with 0/Completed.',
    trap: 'GitHub gives the conclusion cancelled, as if a person had cancelled it.',
  },
  perform: async (setup) => {
    await startWorking(setup, { play: play(setup, ['take_job', 'work 58', ...CANCELLING]) })
    await untilEnded(setup, 120_000)
    const reasons = [
      `The job running on runner ${setup.recording.runner.name} has exceeded the maximum execution time of 1 minutes.`,
      'The operation was canceled.',
    ]
    const log = ['##[group]Run python report.py', '##[error]The operation was canceled.']
    setup.github.endsJob('cancelled', { annotations: reasons, log })
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}
