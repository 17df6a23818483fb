package cause

// LineStatement is the statement that follows keys.
func LineStatement(ids ...any) (text string, args []any) {
	text, args, _ = line.Next(ids)
	return text, args
}
