// Package each makes one list of another, or a map of a list.
package each

// Of is what a function makes of each element of a list, in the order of the list. It is never nil.
func Of[E, T any](list []E, of func(E) T) []T {
	out := make([]T, len(list))
	for i, element := range list {
		out[i] = of(element)
	}
	return out
}

// Keyed is a map of the key and the value that a function makes of each element of a list. Of two with the same key the later one stays.
func Keyed[E any, K comparable, V any](list []E, of func(E) (K, V)) map[K]V {
	out := make(map[K]V, len(list))
	for _, element := range list {
		key, value := of(element)
		out[key] = value
	}
	return out
}
