#compdef sellerd
# Completes sellerd's command lines in zsh.
_sellerd() {
	local line value description
	local -a candidates
	for line in "${(@f)$("${(Q)words[1]}" complete "${(@Q)words[2,CURRENT-1]}" "${(Q)words[CURRENT]}" 2>/dev/null)}"; do
		value=${line%%$'\t'*} description=${line#*$'\t'}
		if [[ $value == :files ]]; then
			# --flag=FILE is one word, of which only what comes after the = is a file.
			if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
			_files
		elif [[ -n $value ]]; then
			candidates+=("${value//:/\\:}:$description")
		fi
	done
	if (( $#candidates )); then _describe sellerd candidates; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_sellerd "$@"
else
	compdef _sellerd sellerd
fi
