# Types each line of standard input and then TAB in a real zsh with the completion script $SCRIPT, and prints what it
# offers. The shell runs in a pseudo-terminal, since there is no completion without one.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source ${(q)SCRIPT}"
zpty -w shell 'compadd() { local -a found; builtin compadd -A found "$@"; print -rl -- $found >>$OFFERED; builtin compadd "$@" }'
# More input would interrupt the completion, so the shell says when it is over.
zpty -w shell 'offer() { zle complete-word; BUFFER=; print -r -- "DO""NE" }; zle -N offer; bindkey "^I" offer; print REA""DY'
while zpty -r shell line && [[ $line != *READY* ]]; do :; done
while IFS= read -r typed; do
	: >$OFFERED
	zpty -w -n shell "$typed"$'\t'
	while zpty -r shell line && [[ $line != *DONE* ]]; do :; done
	print -r -- "== $typed"
	grep . $OFFERED | sort -u
done
zpty -d shell
