# Completes each line of standard input as bash would with the completion script $SCRIPT, and prints what it offers.
source "$SCRIPT"
while IFS= read -r COMP_LINE; do
	COMP_POINT=${#COMP_LINE}
	# As readline does it: = and : are words of their own.
	read -ra COMP_WORDS <<<"$(sed -E 's/([=:])/ \1 /g' <<<"$COMP_LINE")"
	if [[ $COMP_LINE == *' ' ]]; then COMP_WORDS+=(''); fi
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_sellerd sellerd
	echo "== $COMP_LINE"
	printf '%s\n' "${COMPREPLY[@]}" | grep . | sort -u
done
