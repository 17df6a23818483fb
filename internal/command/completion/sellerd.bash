# Completes sellerd's command lines in bash 3.2 and later.
_sellerd() {
	local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} word value files
	local -a words
	read -ra words <<<"$line"
	if [[ $line == *[[:space:]] ]]; then words+=(''); fi
	word=${words[${#words[@]} - 1]}
	# Bash splits words at = and :, and completes the last piece alone. What comes before it is taken off again.
	if [[ $current == [=:]* ]]; then current=''; fi
	local before=${word%"$current"}
	COMPREPLY=()
	while IFS=$'\t' read -r value _; do
		if [[ $value == :files ]]; then files=yes; continue; fi
		COMPREPLY+=("${value#"$before"}")
	done < <("$1" complete "${words[@]:1}" 2>/dev/null)
	if [[ -n $files ]]; then
		compopt -o filenames 2>/dev/null
		while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
	fi
}
complete -F _sellerd sellerd
