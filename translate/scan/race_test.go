//go:build race

package scan_test

// slack is how many times its bound a scan may allocate with the race detector, under which pools forget at random.
const slack = 1.25
