package sunset

// LeftQuery is the statement that reads the next keys that are left.
func LeftQuery(size int) string { return leftQuery(size) }

// AddRequests is the statement that stores counts of requests, and its arguments for a set of rows of four columns.
func AddRequests(set []any) (text string, args []any) {
	text, args, _ = addRequests.Next(set)
	return text, args
}
