// Package probe is what tests look at inside the rooms: the plan of a list, a step of a worker, what waits in a line. Only tests
// import it. What it returns is not part of the API and may change with any commit.
package probe
