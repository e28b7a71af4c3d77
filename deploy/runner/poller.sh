#!/bin/sh
# Waits until Signalbox has a job for this pod, writes the configuration of its runner to a file in memory, and ends: the
# runner starts after it, without the pod's token. It needs curl or wget, and prints neither the token nor the configuration.
#   SIGNALBOX_URL             where `signalbox serve` is
#   SIGNALBOX_CA              the CA of its certificate, in PEM; without it, those that the image trusts
#   SIGNALBOX_RUN_JOB         the script that runs the job, for the folder of scripts
#   SIGNALBOX_VITALS          the sampler beside it
#   SIGNALBOX_TOKEN_FILE      the projected token; read again for each request, because the kubelet renews it
#   SIGNALBOX_JIT_FOLDER      in memory, shared with the runner
#   SIGNALBOX_SCRIPTS_FOLDER  shared with the runner, which cannot write to it
#   SIGNALBOX_WAIT            seconds that the server may hold a request (25)
#   SIGNALBOX_TIME_OUT        seconds until a request is given up; GitHub's answer comes on top of the wait (90)
#   SIGNALBOX_REFUSALS        refused tokens in a row before it gives up (5)
#   SIGNALBOX_LONGEST_PAUSE   the longest pause between two attempts without an answer (30)
set -u
umask 077

url=${SIGNALBOX_URL:-}
token_file=${SIGNALBOX_TOKEN_FILE:-/signalbox/token/token}
memory=${SIGNALBOX_JIT_FOLDER:-/signalbox/jit}
scripts=${SIGNALBOX_SCRIPTS_FOLDER:-/signalbox/scripts}
hold=${SIGNALBOX_WAIT:-25}
time_out=${SIGNALBOX_TIME_OUT:-90}
most_refusals=${SIGNALBOX_REFUSALS:-5}
longest=${SIGNALBOX_LONGEST_PAUSE:-30}

answer=$memory/.answer
headers=$memory/.headers
errors=$memory/.errors
ca=$memory/.ca.pem
child=

say() { printf 'signalbox-poller: %s\n' "$*"; }

clean() { rm -f "$answer" "$headers" "$errors" "$memory/.wgetrc" "$memory/.jit"; }

stop() {
  trap - TERM INT
  [ -z "$child" ] || kill "$child" 2>/dev/null
  clean
  say 'stopped before a job came'
  exit 143
}
trap stop TERM INT

fail() {
  clean
  say "$*"
  exit 1
}

# A signal ends the wait, not the sleep.
pause() {
  sleep "$1" >/dev/null 2>&1 &
  child=$!
  wait "$child"
  child=
}

# random MOST: a number up to it, so that pods that failed together do not ask together.
random() {
  drawn=$(od -An -N2 -tu2 /dev/urandom 2>/dev/null | tr -cd '0-9')
  [ -n "$drawn" ] || drawn=$(($(date +%s) + $$))
  echo $((drawn % ($1 + 1)))
}

# field NAME PATTERN: a value of the JSON answer. Ours has no nested key of these names and no escape but a slash.
field() {
  tr -d '\r\n' <"$answer" 2>/dev/null | sed 's#\\/#/#g' | sed -n 's#.*"'"$1"'"[[:space:]]*:[[:space:]]*"\{0,1\}\('"$2"'\).*#\1#p'
}

with_curl() {
  [ -z "${SIGNALBOX_CA:-}" ] || set -- --cacert "$ca"
  # By stdin: the arguments of a process are shown to others.
  printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl -q --silent --show-error --config - --request POST --header 'Content-Type: application/json' --data '{}' \
      --connect-timeout 10 --max-time "$time_out" --max-filesize 1000000 --output "$answer" --dump-header "$headers" \
      "$@" "$url/v1/dispatch?wait=$hold" >/dev/null 2>"$errors" &
  child=$!
  wait "$child"
  result=$?
  child=
  [ "$result" = 0 ]
}

with_wget() {
  set -- -S -O "$answer" --post-data '{}' --header 'Content-Type: application/json'
  if wget --version 2>/dev/null | grep -q GNU; then
    printf 'header = Authorization: Bearer %s\n' "$token" >"$memory/.wgetrc"
    set -- --config="$memory/.wgetrc" --timeout="$time_out" --tries=1 --max-redirect=0 --content-on-error "$@"
    [ -z "${SIGNALBOX_CA:-}" ] || set -- --ca-certificate="$ca" "$@"
  else
    set -- --header "Authorization: Bearer $token" "$@"
  fi
  set -- wget "$@"
  # Some builds of busybox crash with a time limit of their own.
  if command -v timeout >/dev/null 2>&1; then set -- timeout "$((time_out + 5))" "$@"; fi
  "$@" "$url/v1/dispatch?wait=$hold" >/dev/null 2>"$errors" &
  child=$!
  wait "$child"
  result=$?
  child=
  cp "$errors" "$headers"
  # An answer that is no success is a failure for wget too; the status says which.
  [ "$result" = 0 ] || status_of | grep -q '^[345]'
}

# Of the last answer: a proxy may have given one before it.
status_of() { sed -n 's#.*HTTP/[0-9.]* \([0-9][0-9][0-9]\).*#\1#p' "$headers" 2>/dev/null | tail -n 1; }

retry_after() {
  tr -d '\r' <"$headers" 2>/dev/null | sed -n 's/^[[:space:]]*[Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]:[[:space:]]*\([0-9]\{1,4\}\)[[:space:]]*$/\1/p' | tail -n 1
}

# ask: sets status; 000 if there was no answer.
ask() {
  clean
  status=000
  token=
  [ -r "$token_file" ] && read -r token <"$token_file"
  case $token in '' | *[!A-Za-z0-9._~+/=-]*)
    echo "the token in $token_file cannot be read" >"$errors"
    return
    ;;
  esac
  if "$client"; then status=$(status_of); fi
  token=
  status=${status:-000}
}

# A pause that grows with the failures in a row, or the one that the server asks for.
back_off() {
  failures=$((failures + 1))
  after=$(retry_after)
  if [ -n "$after" ]; then
    [ "$after" -le 300 ] || after=300
    seconds=$((after + $(random $((after / 4 + 1)))))
  else
    seconds=1
    step=1
    while [ "$step" -lt "$failures" ] && [ "$seconds" -lt "$longest" ]; do
      seconds=$((seconds * 2))
      step=$((step + 1))
    done
    [ "$seconds" -le "$longest" ] || seconds=$longest
    seconds=$((seconds + $(random "$seconds")))
  fi
  pause "$seconds"
}

# Says a problem once, not at each attempt.
complain() {
  [ "$complaint" = "$1" ] || say "$1"
  complaint=$1
}

# Whole or not at all: the runner never reads half a configuration.
hand_over() {
  jit=$(field jit '[A-Za-z0-9+/=_-]*')
  [ -n "$jit" ] || return 1
  name=$(field name '[A-Za-z0-9._-]*')
  id=$(field id '[0-9]*')
  if ! { printf '%s\n' "$jit" >"$memory/.jit" && mv "$memory/.jit" "$memory/jit"; } 2>/dev/null; then
    fail "cannot write to $memory; a job was assigned and will be given to another pod"
  fi
  jit=
  clean
  say "a job came for runner ${name:-?} (id ${id:-?})"
}

prepare() {
  [ -n "$url" ] || fail 'SIGNALBOX_URL is not set'
  { true >"$errors"; } 2>/dev/null || fail "cannot write to $memory"
  if command -v curl >/dev/null 2>&1; then
    client=with_curl
  elif command -v wget >/dev/null 2>&1; then
    client=with_wget
    # The one of busybox checks no certificate, and anybody could take the token.
    case $url in https:*) wget --version 2>/dev/null | grep -q GNU || fail 'the image needs curl, or wget of GNU, to check the certificate' ;; esac
  else
    fail 'the image has neither curl nor wget'
  fi
  [ -z "${SIGNALBOX_CA:-}" ] || printf '%s\n' "$SIGNALBOX_CA" >"$ca"
  if [ -n "${SIGNALBOX_RUN_JOB:-}" ]; then
    printf '%s\n' "$SIGNALBOX_RUN_JOB" >"$scripts/run-job.sh" || fail "cannot write to $scripts"
    printf '%s\n' "${SIGNALBOX_VITALS:-}" >"$scripts/vitals.sh" || fail "cannot write to $scripts"
    chmod 755 "$scripts/run-job.sh" "$scripts/vitals.sh"
  fi
}

prepare
say "waits for a job from $url"
failures=0
refusals=0
complaint=
while :; do
  started=$(date +%s)
  ask
  [ "$status" = 401 ] || [ "$status" = 403 ] || refusals=0
  case $status in
  200)
    hand_over && exit 0
    complain 'the answer has no configuration of a runner; asks again'
    back_off
    ;;
  204)
    [ -z "$complaint" ] || say 'waits for a job'
    failures=0
    complaint=
    # Not faster than once a second, whatever holds no request.
    [ "$(date +%s)" -gt "$started" ] || pause 1
    ;;
  401 | 403)
    refusals=$((refusals + 1))
    complain "the token was refused (HTTP $status)"
    [ "$refusals" -lt "$most_refusals" ] || fail "the token was refused $refusals times; gives up"
    back_off
    ;;
  410)
    reason=$(field reason '[a-z-]*')
    clean
    say "this pod gets no job (${reason:-gone}); ends for a replacement"
    exit 0
    ;;
  000)
    complain "no answer: $(head -n 1 "$errors" 2>/dev/null | tr -cd '[:print:]' | cut -c 1-200)"
    back_off
    ;;
  *)
    reason=$(field reason '[a-z-]*')
    complain "HTTP $status${reason:+ ($reason)}; asks again"
    back_off
    ;;
  esac
done
