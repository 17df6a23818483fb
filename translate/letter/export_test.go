package letter

// What the tests see of the words.
var (
	Day     = day
	Wrapped = wrapped
)
