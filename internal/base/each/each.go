// Package each makes one list of another.
package each

// Of is what a function makes of each element of a list, in the order of the list. It is never nil.
func Of[E, T any](list []E, of func(E) T) []T {
	out := make([]T, len(list))
	for i, element := range list {
		out[i] = of(element)
	}
	return out
}
