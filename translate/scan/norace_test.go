//go:build !race

package scan_test

// slack is how many times its bound a scan may allocate without the race detector: once.
const slack = 1.0
