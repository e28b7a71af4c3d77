/** What the container `runner` runs: shell scripts that print what actions/runner prints at that point, with the real time. */

export type RunnerFiles = Readonly<Record<string, string>>

export type RunnerPlay = {
  /** The job's name, as the log has it. */
  readonly job: string
  /** `helper`: as run-helper.sh, which turns an unknown exit code into 0. `bare`: the listener's code is the container's. */
  readonly wrapper: 'helper' | 'bare'
  /** Whether SIGTERM reaches the listener (RUNNER_MANUALLY_TRAP_SIG). Without it run.sh, as PID 1, ignores the signal. */
  readonly trapsTerm: boolean
  /** Shell lines of Runner.Listener after it has begun to listen. */
  readonly listener: readonly string[]
  /** More programs, by name: the kernel names a process after its script. */
  readonly programs?: RunnerFiles
}

const HEAD = '#!/bin/sh\n. /home/runner/bin/lines.sh\n'

/** The files of `/home/runner/bin`; `run.sh` is one folder above. */
export function runnerFiles(play: RunnerPlay): RunnerFiles {
  return {
    'lines.sh': `JOB='${play.job}'\n${LINES}`,
    'run.sh': `${HEAD}${play.trapsTerm ? TRAPPING : WAITING}${play.wrapper === 'helper' ? FOLDED : BARE}`,
    'Runner.Listener': `${HEAD}${[...(play.trapsTerm ? ['trap shut_down TERM'] : []), 'begin', ...play.listener].join('\n')}\n`,
    ...Object.fromEntries(Object.entries(play.programs ?? {}).map(([name, text]) => [name, `${HEAD}${text}\n`])),
  }
}

/** A job that is longer than any recording. */
export const LONG_WORK = ['take_job', 'work 600']

const LINES = `
GUID=$(cat /proc/sys/kernel/random/uuid)
PLAN=$(cat /proc/sys/kernel/random/uuid)
now() { date -u '+%Y-%m-%d %H:%M:%SZ'; }
runner() { part=$1; shift; echo "[RUNNER $(now) INFO $part] $*"; }
worker() { part=$1; shift; echo "[WORKER $(now) INFO $part] $*"; }
print_line() { line="$(now): $*"; echo "$line"; runner Terminal "WRITE LINE: $line"; }
pause() { sleep "$1" & wait $!; }
begin() {
  runner HostContext 'No proxy settings were found based on environmental variables (http_proxy/https_proxy/HTTP_PROXY/HTTPS_PROXY)'
  runner HostContext "Well known directory 'Bin': '/home/runner/bin'"
  runner HostContext "Well known directory 'Root': '/home/runner'"
  runner Listener 'Runner package: linux-x64.'
  runner Listener 'Runner is running on Linux (X64).'
  runner Listener "Version: $RUNNER_VERSION"
  runner ConfigurationStore 'HasCredentials()'
  runner ConfigurationStore 'stored True'
  runner CredentialManager 'Creating type OAuth'
  printf '\\n√ Connected to GitHub\\n\\n'
  runner RSAFileKeyManager 'Loading RSA key parameters from file /home/runner/.credentials_rsaparams'
  echo "Current runner version: '$RUNNER_VERSION'"
  pause 1
}
listen() {
  runner BrokerMessageListener 'Session created.'
  print_line 'Listening for Jobs'
  pause 2
}
take_job() {
  listen
  runner BrokerMessageListener "Acknowledging runner request '$GUID'."
  runner JobDispatcher "Job request 0 for plan $PLAN job $GUID received."
  runner JobDispatcher "Start renew job request 0 for job $GUID."
  runner JobDispatcher "Successfully renew job $GUID, job is valid till $(date -u -d "@$(($(date +%s) + 600))" '+%m/%d/%Y %H:%M:%S')"
  print_line "Running job: $JOB"
  runner ProcessInvokerWrapper 'Starting process:'
  runner ProcessInvokerWrapper "  File name: '/home/runner/bin/Runner.Worker'"
  runner ProcessInvokerWrapper "  Arguments: 'spawnclient 119 122'"
  worker HostContext "Well known directory 'Work': '/home/runner/_work'"
  worker Worker 'Waiting to receive the job message from the channel.'
  worker Worker 'Message received.'
  worker JobRunner "Job ID $GUID"
  BEGUN=$(date +%s)
}
work() {
  left=$1
  while [ "$left" -gt 0 ]; do
    case $((left % 3)) in
      0) worker JobServerQueue "Try to append 2 batches web console lines for record '$PLAN', success rate: 2/2." ;;
      1) worker ExecutionContext 'Publish step telemetry for current step {"action":"run","type":"run","stage":"Main"}.' ;;
      2) worker JobServerQueue 'Tried to upload 1 file(s) to results, success rate: 1/1.' ;;
    esac
    pause 2
    left=$((left - 2))
  done
}
elapsed() { printf '00:%02d:%02d.4410092' $((($(date +%s) - BEGUN) / 60)) $((($(date +%s) - BEGUN) % 60)); }
finish_job() {
  result=$1 code=$2
  worker JobRunner "Job result after all post-job steps finished: $result"
  worker JobRunner 'Completing the job execution context.'
  worker Worker 'Job completed.'
  runner ProcessInvokerWrapper "Finished process 87 with exit code $code, and elapsed time $(elapsed)."
  runner JobDispatcher "Worker finished for job $GUID. Code: $code"
  runner JobDispatcher "finish job request for job $GUID with result: $result"
  print_line "Job $JOB completed with result: $result"
  runner JobDispatcher "Stop renew job request for job $GUID."
  runner JobDispatcher "job renew has been cancelled, stop renew job $GUID."
}
leave() {
  runner JobNotification 'Entering JobCompleted Notification'
  runner Runner 'Job has finished at backend, the runner will exit since it is running under onetime use mode.'
  runner Runner 'Deleting Runner Session...'
  runner Listener 'Runner execution has finished with return code 0'
  exit 0
}
shut_down() {
  trap '' TERM
  echo 'Exiting...'
  runner HostContext 'Runner will be shutdown for UserCancelled'
  runner Terminal 'WRITE LINE: Exiting...'
  worker HostContext 'Runner will be shutdown for UserCancelled'
  worker Worker 'Cancellation/Shutdown message received.'
  worker StepsRunner 'Cancel current running step.'
  sleep 1
  finish_job Failed 102
  runner Listener 'Runner execution been cancelled.'
  runner Listener 'Runner execution has finished with return code 0'
  exit 0
}
`

const TRAPPING = `
stopped=
trap 'stopped=143; kill -TERM "$child" 2>/dev/null' TERM
/home/runner/bin/Runner.Listener run &
child=$!
wait "$child"
code=$?
[ -z "$stopped" ] || { wait "$child"; code=$?; }
`

const WAITING = `
/home/runner/bin/Runner.Listener run
code=$?
stopped=
`

const FOLDED = `
case $code in
  0) echo 'Runner listener exit with 0 return code, stop the service, no retry needed.' ;;
  1) echo 'Runner listener exit with terminated error, stop the service, no retry needed.' ;;
  5) echo 'Runner listener exit with Session Conflict error, stop the service, no retry needed.' ;;
  7) echo "Runner listener exit with deprecated version exit code: 7."; exit 7 ;;
  *) echo "Exiting with unknown error code: $code" ;;
esac
[ -n "$stopped" ] && exit 143
echo 'Exiting runner...'
exit 0
`

const BARE = `
[ -n "$stopped" ] && exit 143
exit "$code"
`
