package letter

// Wrapped is what the tests see of the words.
var Wrapped = wrapped
