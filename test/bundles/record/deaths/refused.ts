import { setTimeout as sleep } from 'node:timers/promises'
import type { Recording } from '#test/bundles/record/setup.ts'
import { SETTLE_MS, startRunner, startWorking, untilEnded, untilSaid } from '#test/bundles/record/setup.ts'

/** Only GitHub can refuse a runner: the text is imitated, the process, its exit and the pod are real. */

export const sessionConflict: Recording = {
  name: 'session-conflict',
  runner: { namespace: 'ci-legacy', name: 'legacy-2x4-k9s4b-runner-v3m7q' },
  repository: 'backoffice',
  job: 'build',
  step: 'mvn verify',
  expected: {
    cause: 'session-conflict',
    acceptable: [],
    mustNotBe: ['no-job-assigned', 'completed-normally', 'registration-denied', 'runner-deregistered', 'network-fault'],
    actor: null,
    maxConfidence: null,
    why: 'GitHub still held a session of this runner: it asked again every 30 s for 240 s and gave up with exit code 5, which the wrapper turned into 0/Completed.',
    trap: '0/Completed of a runner that never had a job.',
  },
  perform: async (setup) => {
    const listener = [
      "echo 'A session for this runner already exists.'",
      'tries=0',
      'while [ $tries -lt 8 ]; do',
      '  runner BrokerMessageListener "The session for this runner already exists."',
      '  runner BrokerMessageListener "Sleeping for 30 seconds before retrying."',
      '  pause 30',
      '  tries=$((tries + 1))',
      'done',
      "runner BrokerMessageListener 'Stop retry on SessionConflictException after retried for 240 seconds.'",
      "echo 'Failed to create session. A session for this runner already exists.'",
      'runner Listener "Runner execution has finished with return code 5"',
      'exit 5',
    ]
    const play = { job: setup.recording.job, wrapper: 'helper', trapsTerm: true, listener } as const
    await startRunner(setup, { play })
    await untilEnded(setup, 300_000)
    await sleep(SETTLE_MS)
    return { subject: 'pod' }
  },
}

export const runnerOutdated: Recording = {
  name: 'runner-outdated',
  runner: { namespace: 'ci-frozen', name: 'frozen-2x4-p2h7c-runner-t8z5k' },
  repository: 'firmware',
  job: 'flash image',
  step: 'make image',
  decoys: ['oom-elsewhere'],
  expected: {
    cause: 'runner-outdated',
    acceptable: [],
    mustNotBe: ['registration-denied', 'process-crash', 'self-update', 'job-failed', 'oom-container'],
    actor: null,
    maxConfidence: null,
    why: 'GitHub refused the version of the runner ("is deprecated and cannot receive messages"); it ended with 7.',
    trap: 'Exit code 7 with reason Error looks like a crash; an OOM of another pod stands in the journal.',
  },
  perform: async (setup) => {
    const listener = [
      'runner BrokerMessageListener "Session created."',
      'print_line "Listening for Jobs"',
      'pause 2',
      'echo "An error occured: Runner version v$RUNNER_VERSION is deprecated and cannot receive messages."',
      'runner Listener "Runner execution has finished with return code 7"',
      'exit 7',
    ]
    const environment = { RUNNER_VERSION: '2.319.1', ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE: '1' }
    const play = { job: setup.recording.job, wrapper: 'helper', trapsTerm: true, listener } as const
    await startRunner(setup, { play, environment })
    await untilEnded(setup)
    await sleep(SETTLE_MS)
    return { subject: 'pod' }
  },
}

export const networkFault: Recording = {
  name: 'network-fault',
  runner: { namespace: 'ci-branch', name: 'branch-2x4-n5t2q-runner-k7w8c' },
  repository: 'pos',
  job: 'soak',
  step: 'make soak',
  isGitHubImpatient: true,
  decoys: ['delete-elsewhere'],
  expected: {
    cause: 'network-fault',
    acceptable: [],
    mustNotBe: ['node-lost', 'killed-in-container', 'graceful-shutdown', 'force-deleted', 'completion-handshake-lost'],
    actor: null,
    maxConfidence: null,
    why: "The runner lives and its container runs; from the middle of the job on it could not resolve the name of GitHub's service and says so, and GitHub says that it lost communication.",
    trap: 'The pod still runs: nothing killed it. Another pod was deleted.',
  },
  perform: async (setup) => {
    const host = 'broker.actions.githubusercontent.com'
    const listener = [
      'take_job',
      'work 6',
      // A real answer of a resolver that cannot be reached.
      `wget -q -T 5 https://${host}/ 2>&1`,
      `print_line 'Runner connect error: Name or service not known (${host}:443). Retrying until reconnected.'`,
      'work 600',
    ]
    const play = { job: setup.recording.job, wrapper: 'helper', trapsTerm: true, listener } as const
    // An address from a documentation range: nothing answers there.
    const spec = { dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.53'] } }
    await startWorking(setup, { play, spec })
    await untilSaid(setup, 'Runner connect error')
    await setup.github.givesUp()
    await sleep(SETTLE_MS)
    return { subject: 'job' }
  },
}
