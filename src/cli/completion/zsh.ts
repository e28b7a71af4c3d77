export const zshCompletion = `#compdef signalbox
# zsh completion for signalbox
_signalbox() {
  local -a lines values
  local line value
  lines=("\${(@f)$("\${(Q)words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    case $line in
      :file) _files ;;
      :folder) _files -/ ;;
      :none|'') ;;
      *) value=\${line%%$'\\t'*}; values+=("\${value//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( \${#values} )) && _describe -t values signalbox values
}
if [[ \${funcstack[1]} == _signalbox ]]; then
  _signalbox "$@"
else
  compdef _signalbox signalbox
fi
`
