//go:build !race

package main

// slack is how many times its ceiling a request may allocate without the race detector: once.
const slack = 1.0
