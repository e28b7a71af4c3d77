/** The prefix of every output line. */
export const PROBE_MARK = 'signalbox-probe'

/** The script's input variables: the script itself never changes. */
export const PROBE_INPUT = {
  /** Variable names, separated by spaces. */
  variables: 'SIGNALBOX_PROBE_VARIABLES',
  /** Variables whose address only the container knows. */
  addresses: 'SIGNALBOX_PROBE_ADDRESSES',
  /** `FROM,HOST,PORT`, separated by spaces. */
  targets: 'SIGNALBOX_PROBE_TARGETS',
  /** Names of variables that hold the path of a CA bundle. */
  bundles: 'SIGNALBOX_PROBE_BUNDLES',
} as const

/**
 * For any POSIX shell. It connects with what the image has: bash, curl, wget or nc, and reports if there is none.
 * Kubernetes expands `$(NAME)` and two dollar signs in a command, so it contains neither.
 */
export const PROBE_SCRIPT = `
say() { echo "${PROBE_MARK} $*"; }

classify() {
  case "$1" in
    *efused*) echo refused ;;
    *'imed out'*|*imeout*) echo timeout ;;
    *'not known'*|*'not resolve'*|*'bad address'*|*'in name resolution'*|*'ame does not'*|*'o address associated'*|*'nknown host'*) echo unresolved ;;
    *) echo failed ;;
  esac
}

by_bash() {
  command -v bash >/dev/null 2>&1 && command -v timeout >/dev/null 2>&1 || { echo none; return; }
  output=\`timeout 6 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" 2>&1\`
  case "$?" in
    0) echo reached; return ;;
    124|137|143) echo timeout; return ;;
  esac
  case "$output" in
    *'/dev/tcp/'*'No such file'*) echo none ;;
    *) classify "$output" ;;
  esac
}

by_curl() {
  command -v curl >/dev/null 2>&1 || { echo none; return; }
  output=\`curl -sS -k -o /dev/null --noproxy '*' --connect-timeout 5 --max-time 8 "http://$1:$2/" 2>&1\`
  case "$?" in
    2|12[6-9]|13?|14?) echo none ;;
    6) echo unresolved ;;
    7) classify "$output" ;;
    28) case "$output" in *'bytes received'*) echo reached ;; *) echo timeout ;; esac ;;
    *) echo reached ;;
  esac
}

by_wget() {
  command -v wget >/dev/null 2>&1 || { echo none; return; }
  output=\`http_proxy= wget -T 5 -O /dev/null "http://$1:$2/" 2>&1 </dev/null\`
  case "$?" in
    0|5|6|8) echo reached; return ;;
    12[6-9]|13?|14?) echo none; return ;;
  esac
  case "$output" in
    *'server returned'*|*'getting response'*|*'HTTP/'*|*'rotocol error'*|*'onnected.'*) echo reached ;;
    *'sage:'*|*'nrecognized option'*|*'nvalid option'*) echo none ;;
    *) classify "$output" ;;
  esac
}

by_nc() {
  command -v nc >/dev/null 2>&1 || { echo none; return; }
  output=\`nc -z -w 5 "$1" "$2" 2>&1 </dev/null\`
  [ "$?" = 0 ] && { echo reached; return; }
  case "$output" in
    *'sage:'*|*'nvalid option'*|*'nrecognized option'*) by_plain_nc "$1" "$2" ;;
    '') echo failed ;;
    *) classify "$output" ;;
  esac
}

by_plain_nc() {
  output=\`printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 5 "$1" "$2" 2>&1 >/dev/null\`
  case "$?" in
    0) echo reached; return ;;
    12[6-9]|13?|14?) echo none; return ;;
  esac
  # A plain nc does not show whether it waited for the connection or for an answer.
  found=\`classify "$output"\`
  case "$found" in refused|unresolved) echo "$found" ;; *) echo unknown ;; esac
}

reach() {
  for tool in by_bash by_curl by_wget by_nc; do
    found=\`$tool "$1" "$2"\`
    case "$found" in none|unknown) ;; *) echo "$found"; return ;; esac
  done
  echo unknown
}

value_of() { eval "value=\\\${$1-}"; }

for name in $${PROBE_INPUT.variables}; do
  value_of "$name"
  if [ -n "$value" ]; then say variable "$name" set; else say variable "$name" unset; fi
done

for entry in $${PROBE_INPUT.targets}; do
  from=\${entry%%,*}; rest=\${entry#*,}; host=\${rest%%,*}; port=\${rest#*,}
  say target "$from" "$host" "$port" \`reach "$host" "$port"\`
done

for name in $${PROBE_INPUT.addresses}; do
  value_of "$name"
  [ -n "$value" ] || continue
  scheme=; rest=$value
  case "$value" in *://*) scheme=\${value%%://*}; rest=\${value#*://} ;; esac
  rest=\${rest%%/*}; rest=\${rest##*@}; host=\${rest%%:*}; port=
  case "$rest" in *:*) port=\${rest##*:} ;; esac
  if [ -z "$port" ]; then
    case "$scheme" in http|grpc) port=80 ;; https|grpcs) port=443 ;; redis|rediss) port=6379 ;; esac
  fi
  case "$host$port" in *[!A-Za-z0-9.-]*|'') continue ;; esac
  [ -n "$host" ] && [ -n "$port" ] || continue
  say target "$name" "$host" "$port" \`reach "$host" "$port"\`
done

for name in $${PROBE_INPUT.bundles}; do
  value_of "$name"
  [ -n "$value" ] || continue
  state=not-pem
  if [ ! -e "$value" ]; then state=missing
  elif [ ! -r "$value" ] || [ -d "$value" ]; then state=unreadable
  else
    while IFS= read -r line || [ -n "$line" ]; do
      case "$line" in *'BEGIN CERTIFICATE'*|*'BEGIN TRUSTED CERTIFICATE'*) state=readable; break ;; esac
    done <"$value"
  fi
  say bundle "$name" "$state" "$value"
done

say done
`
