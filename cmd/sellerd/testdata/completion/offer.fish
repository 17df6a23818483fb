# Completes each line of standard input with the completion script $SCRIPT, and prints what it offers.
source $SCRIPT
while read typed
    echo "== $typed"
    complete -C "$typed" | string replace -r '\t.*' '' | sort -u
end
