#!/bin/sh
# Prints the vitals of the container it runs in, one line at an interval, for the verdict on a runner:
# memory of the cgroup, its OOM counters, pressure, memory of the guest, processes of the runner. Start it next to the
# runner, in the same container:
#   /opt/signalbox/vitals.sh & exec ./run.sh
# What cannot be read is left out of the line: unknown is not zero.
#   VITALS_INTERVAL  seconds between two lines (15)
#   VITALS_COUNT     lines to print before it ends (0: without end)
#   VITALS_CGROUP    where cgroups are mounted (/sys/fs/cgroup)
#   VITALS_PROC      where proc is mounted (/proc)
set -u

interval=${VITALS_INTERVAL:-15}
count=${VITALS_COUNT:-0}
cgroup=${VITALS_CGROUP:-/sys/fs/cgroup}
proc=${VITALS_PROC:-/proc}

case $interval in '' | *[!0-9]* | 0) interval=15 ;; esac
case $count in '' | *[!0-9]*) count=0 ;; esac

line=

add() {
  case $2 in '' | *[!A-Za-z0-9_.-]*) ;; *) line="$line $1=$2" ;; esac
}

# add_file KEY FILE: the first word of the file.
add_file() {
  [ -r "$2" ] || return 0
  value=
  read -r value _ <"$2" 2>/dev/null || :
  add "$1" "$value"
}

# add_counters PREFIX FILE KEY...: lines of the form "key value".
add_counters() {
  prefix=$1 file=$2
  shift 2
  [ -r "$file" ] || return 0
  while read -r key value _; do
    for wanted in "$@"; do
      [ "${key%:}" = "$wanted" ] && add "$prefix$wanted" "$value"
    done
  done <"$file"
}

# add_pressure NAME FILE: "some avg10=0.00 … total=0" and "full …".
add_pressure() {
  [ -r "$2" ] || return 0
  while read -r kind average _; do
    case $average in avg10=*) add "pressure.$1.$kind" "${average#avg10=}" ;; esac
  done <"$2" 2>/dev/null
}

# The processes of GitHub's runner: one listener waits for jobs, a worker executes one. Without a listener these are the
# processes of another container.
add_runner() {
  seen=0 listeners=0 workers=0
  for file in "$proc"/[0-9]*/comm; do
    name=
    [ -r "$file" ] || continue
    read -r name 2>/dev/null <"$file" || continue
    seen=1
    case $name in
    Runner.Listener) listeners=$((listeners + 1)) ;;
    Runner.Worker) workers=$((workers + 1)) ;;
    esac
  done
  [ "$seen" = 1 ] || return 0
  add runner.listeners "$listeners"
  add runner.workers "$workers"
}

sample() {
  line="signalbox-vitals 1 time=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  if [ -r "$cgroup/memory.current" ]; then
    add cgroup 2
    for file in current peak max; do add_file "memory.$file" "$cgroup/memory.$file"; done
    add_counters memory.events. "$cgroup/memory.events" high max oom oom_kill oom_group_kill
    for file in current max; do add_file "pids.$file" "$cgroup/pids.$file"; done
    for name in memory cpu io; do add_pressure "$name" "$cgroup/$name.pressure"; done
  elif [ -r "$cgroup/memory/memory.usage_in_bytes" ]; then
    add cgroup 1
    add_file memory.current "$cgroup/memory/memory.usage_in_bytes"
    add_file memory.peak "$cgroup/memory/memory.max_usage_in_bytes"
    add_file memory.max "$cgroup/memory/memory.limit_in_bytes"
    add_file memory.failcnt "$cgroup/memory/memory.failcnt"
    add_counters memory.events. "$cgroup/memory/memory.oom_control" oom_kill under_oom
    for file in current max; do add_file "pids.$file" "$cgroup/pids/pids.$file"; done
    for name in memory cpu io; do add_pressure "$name" "$proc/pressure/$name"; done
  fi
  add_counters guest. "$proc/meminfo" MemTotal MemAvailable
  add_runner
  printf '%s\n' "$line"
}

# The last line matters most: print it also on SIGTERM.
finish() {
  trap - TERM INT
  # $! is set with the fork itself: a signal that comes right after it still finds the sleep.
  [ -z "${!:-}" ] || kill "$!" 2>/dev/null
  sample
  exit 0
}
trap finish TERM INT

printed=0
while :; do
  sample
  printed=$((printed + 1))
  [ "$printed" -eq "$count" ] && exit 0
  # Without our output: a sleep that outlived us would keep that of the container open.
  sleep "$interval" >/dev/null 2>&1 &
  wait $!
done
