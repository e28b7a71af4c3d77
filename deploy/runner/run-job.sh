#!/bin/sh
# Runs the runner of this pod for one job, with the configuration that the poller left, and vitals beside it. Arguments are the
# command of the runner; without them, run.sh where the images of runners have it. Exits as the runner does.
#   SIGNALBOX_SHUTDOWN        on SIGTERM: finish (a job may end first) or report (it is ended, and that is reported)
#   SIGNALBOX_FINISH_SECONDS  how long it may take to finish; then it is reported
#   SIGNALBOX_IDLE_SECONDS    how long the runner waits for its job (0: without end)
#   SIGNALBOX_FORCE_SECONDS   how long an idle runner may take to end (30)
#   SIGNALBOX_JIT_FOLDER      where the poller left the configuration
#   SIGNALBOX_SCRIPTS_FOLDER  where vitals.sh is
#   ACTIONS_RUNNER_HOOK_JOB_STARTED  a hook of one's own, which still runs
#
# Without job control a shell starts what runs beside it with SIGINT ignored, and so would the runner and each step of the
# job. Only bash has job control without a terminal, and run.sh needs it anyway.
#
# Functions that only a trap calls are not unreachable:
# shellcheck disable=SC2317
if [ -z "${BASH_VERSION:-}" ] && command -v bash >/dev/null 2>&1; then exec bash "$0" "$@"; fi
set -u

# Process 1 ignores a signal that it does not trap.
early=
trap 'early=TERM' TERM INT

shutdown=${SIGNALBOX_SHUTDOWN:-finish}
finish=${SIGNALBOX_FINISH_SECONDS:-0}
idle=${SIGNALBOX_IDLE_SECONDS:-0}
force=${SIGNALBOX_FORCE_SECONDS:-30}
memory=${SIGNALBOX_JIT_FOLDER:-/signalbox/jit}
vitals=${SIGNALBOX_SCRIPTS_FOLDER:-/signalbox/scripts}/vitals.sh
hook=$memory/job-started.sh
marker=$memory/job-started
armed=$memory/watchdog
own_hook=${ACTIONS_RUNNER_HOOK_JOB_STARTED:-}
unset SIGNALBOX_SHUTDOWN SIGNALBOX_FINISH_SECONDS SIGNALBOX_IDLE_SECONDS SIGNALBOX_FORCE_SECONDS

runner=
sampler=
watchdog=
deadline=
stopping=
ending=
code=0
interrupted=

say() { printf 'signalbox-run: %s\n' "$*"; }

# read_process PID: sets state and session.
read_process() {
  state='' session='' line=''
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # The name before it may have spaces and parentheses.
  # shellcheck disable=SC2086
  set -- ${line##*) }
  state=$1 session=$4
}

# processes NAME: those of this container, and not of another one or of the node. A session is never left by the runner.
processes() {
  for file in /proc/[0-9]*/comm; do
    name=
    { read -r name <"$file"; } 2>/dev/null || continue
    [ "$name" = "$1" ] || continue
    pid=${file#/proc/}
    pid=${pid%/comm}
    read_process "$pid" || continue
    if [ "$session" = "$own_session" ] && [ "$state" != Z ]; then echo "$pid"; fi
  done
}

# Whether the runner has a job, or had one: by the hook, by a worker, or by its own log before either.
has_job() {
  [ -e "$marker" ] || [ -n "$(processes Runner.Worker)" ] ||
    grep -qs -e 'Received job message of length' -e 'Job request .* received\.' "$home"/_diag/Runner_*.log
}

# alarm SECONDS SIGNAL: sends it to this script later.
alarm() {
  (
    nap=
    trap '[ -z "$nap" ] || kill "$nap" 2>/dev/null; exit 0' TERM
    sleep "$1" &
    nap=$!
    wait "$nap"
    kill -s "$2" $$
  ) >/dev/null 2>&1 &
}

cancel() { [ -z "$1" ] || kill "$1" 2>/dev/null; }

is_stopped() {
  tries=0
  while [ "$tries" -lt 560 ]; do
    read_process "$1" || return 0
    case $state in T | t | Z | X) return 0 ;; esac
    tries=$((tries + 1))
    # A busy node takes its time to stop it.
    [ "$tries" -lt 500 ] || sleep 1
  done
  return 1
}

# Ends a runner without a job. A job cannot arrive between the look and the end: the listener, which would start the worker,
# stands still meanwhile, and ends before it takes another message.
end_idle() {
  listener=$(processes Runner.Listener | head -n 1)
  if [ -z "$listener" ]; then
    if has_job; then return 1; fi
    kill -s TERM "$runner" 2>/dev/null
  else
    kill -s STOP "$listener" 2>/dev/null
    if ! is_stopped "$listener" || has_job; then
      kill -s CONT "$listener" 2>/dev/null
      return 1
    fi
    kill -s INT "$listener" 2>/dev/null
    kill -s CONT "$listener" 2>/dev/null
  fi
  ending=idle
  alarm "$force" USR2
  deadline=$!
}

on_idle() {
  interrupted=1
  rm -f "$armed"
  cancel "$watchdog"
  watchdog=
  [ -z "$stopping" ] || return 0
  if ! has_job && end_idle; then
    say "no job assigned within $idle s; ends the idle runner"
  else
    say 'a job arrived at the deadline; the runner keeps it'
  fi
}

# run.sh gives the signal to the runner and to the steps.
report() {
  ending=report
  kill -s TERM "$runner" 2>/dev/null
}

# on_stop SIGNAL
on_stop() {
  interrupted=1
  if [ -z "$runner" ]; then
    say "received SIG$1 before the runner started"
    cancel "$watchdog"
    cancel "$sampler"
    exit 143
  fi
  if [ -n "$stopping" ]; then return 0; fi
  stopping=1
  if [ "$shutdown" = report ]; then
    say "received SIG$1; the runner ends and reports its job"
    report
  elif ! has_job && end_idle; then
    say "received SIG$1; ends the idle runner"
  elif [ "$finish" -gt 0 ]; then
    say "received SIG$1; its job may finish within $finish s"
    alarm "$finish" USR2
    deadline=$!
  else
    say "received SIG$1; no time to finish, the runner ends and reports its job"
    report
  fi
}

on_deadline() {
  interrupted=1
  deadline=
  if [ "$ending" = idle ]; then
    if has_job; then
      ending=
      [ -z "$stopping" ] || alarm "$finish" USR2
      [ -z "$stopping" ] || deadline=$!
      return 0
    fi
    say "the idle runner did not end within $force s; kills it"
    # shellcheck disable=SC2046
    kill -s KILL $(processes Runner.Listener) "$runner" 2>/dev/null
  else
    say "the job did not finish within $finish s; the runner ends and reports it"
    report
  fi
}

# A signal interrupts a wait. The next one returns the code, or 127 if the interrupted one already had it.
wait_for() {
  code=127
  while :; do
    interrupted=
    wait "$1"
    result=$?
    [ "$result" = 127 ] || code=$result
    [ -n "$interrupted" ] || return 0
  done
}

quote() { printf '%s' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"; }

# Two latches: a job can remove the marker, but cannot start the watchdog again.
write_hook() {
  {
    echo '#!/bin/sh'
    echo "true >$(quote "$marker") 2>/dev/null || true"
    [ -z "$watchdog" ] || echo "[ ! -e $(quote "$armed") ] || kill $watchdog 2>/dev/null || true"
    case $own_hook in
    '') ;;
    *.ps1) echo "exec pwsh -File $(quote "$own_hook")" ;;
    *) echo "if command -v bash >/dev/null 2>&1; then exec bash -e $(quote "$own_hook"); else exec sh -e $(quote "$own_hook"); fi" ;;
    esac
  } >"$hook"
  chmod 755 "$hook"
}

find_runner() {
  for place in ./run.sh /home/runner/run.sh /actions-runner/run.sh /opt/actions-runner/run.sh; do
    [ ! -f "$place" ] || break
  done
  printf '%s' "$place"
}

if [ ! -s "$memory/jit" ]; then
  say 'no job was handed over; nothing to run'
  exit 0
fi
[ $# -gt 0 ] || set -- "$(find_runner)"
case $1 in */*) home=${1%/*} ;; *) home=. ;; esac
read_process $$ || :
own_session=$session
trap 'on_stop TERM' TERM
trap 'on_stop INT' INT
trap on_idle USR1
trap on_deadline USR2
[ -z "$early" ] || on_stop "$early"

read -r jit <"$memory/jit"
# Before the job: what it finds of this pod is not a way to register a runner.
rm -f "$memory/jit"
if [ -e "$memory/jit" ]; then
  say "cannot remove $memory/jit, which a job could read; does not run it"
  exit 1
fi

if [ "$idle" -gt 0 ]; then
  true >"$armed"
  alarm "$idle" USR1
  watchdog=$!
fi
write_hook
if [ -r "$vitals" ]; then
  sh "$vitals" &
  sampler=$!
fi

[ -z "${BASH_VERSION:-}" ] || set -m
ACTIONS_RUNNER_INPUT_JITCONFIG=$jit ACTIONS_RUNNER_HOOK_JOB_STARTED=$hook "$@" &
runner=$!
[ -z "${BASH_VERSION:-}" ] || set +m
jit=
wait_for "$runner"

# run.sh may end before the runner has reported its job.
waited=0
while [ -n "$(processes Runner.Worker)$(processes Runner.Listener)" ]; do
  [ -n "$stopping" ] || [ "$waited" -lt 60 ] || break
  sleep 1 >/dev/null 2>&1 &
  wait $!
  waited=$((waited + 1))
done
cancel "$watchdog"
cancel "$deadline"
if [ -n "$sampler" ]; then
  kill "$sampler" 2>/dev/null
  final=$code
  wait_for "$sampler"
  code=$final
fi
say "the runner ended with exit code $code"
exit "$code"
