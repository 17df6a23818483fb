package server

// DocumentedNames is what spells the headers of a handler's answers.
var DocumentedNames = documentedNames
