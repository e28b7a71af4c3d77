/** Bash splits words at `=` before the function gets them, so they are joined again. Works with bash 3.2 (macOS). */
export const bashCompletion = `# bash completion for signalbox
_signalbox() {
  local -a words
  local index count=0 word current line value
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if ((count > 0)) && [[ $word == "=" || \${COMP_WORDS[index - 1]} == "=" ]]; then
      words[count - 1]+=$word
    else
      words[count]=$word
      count=$((count + 1))
    fi
  done
  current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == "=" ]] && current=
  word=\${words[count - 1]}
  local prefix=\${word%"$current"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file) compopt -o filenames 2>/dev/null; while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current") ;;
      :folder) compopt -o filenames 2>/dev/null; while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "$current") ;;
      :none) ;;
      *) value=\${line%%$'\\t'*}; COMPREPLY+=("\${value#"$prefix"}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _signalbox signalbox
`
