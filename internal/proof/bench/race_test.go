//go:build race

package main

// slack is how many times its ceiling a request may allocate with the race detector, under which pools forget at random.
const slack = 1.25
