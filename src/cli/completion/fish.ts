export const fishCompletion = `# fish completion for signalbox
function __signalbox_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l current (commandline -ct)
    for line in ($program __complete -- $words "$current" 2>/dev/null)
        switch $line
            case ':file'
                __fish_complete_path "$current"
            case ':folder'
                __fish_complete_directories "$current"
            case ':none'
            case '*'
                echo $line
        end
    end
end
complete -c signalbox -f -a '(__signalbox_complete)'
`
