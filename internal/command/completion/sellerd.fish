# Completes sellerd's command lines in fish 3 and later.
function __sellerd_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program complete $words "$current" 2>/dev/null)
        if string match -q -- ':files*' $line
            # --flag=FILE is one word, of which only what comes after the = is a file.
            set -l parts (string match -r -- '^(--[^=]*=)(.*)$' "$current")
            if test (count $parts) -eq 3
                for file in (__fish_complete_path "$parts[3]")
                    echo $parts[2]$file
                end
            else
                __fish_complete_path "$current"
            end
        else
            echo $line
        end
    end
end
complete -c sellerd -f -a '(__sellerd_candidates)'
