// Package weigh reads the weighted lists of requests: Accept-Encoding, Accept-Language and their kind.
package weigh

import (
	"iter"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
)

// element is a name, perhaps with a weight of at most three decimals (RFC 9110, section 12.4.2).
var element = pattern.Late(`^([A-Za-z0-9*_-]+)(?:[ \t]*;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$`)

// List yields the elements of a list with their weights, 0 to 1. Without a weight it is 1. An element that cannot be read has the weight -1,
// and empty elements are left out (RFC 9110, section 5.6.1.2).
func List(header string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for text := range strings.SplitSeq(header, ",") {
			if text = strings.Trim(text, " \t"); text == "" {
				continue
			}
			name, weight := text, -1.0
			if parts := element().FindStringSubmatch(text); parts != nil {
				name, weight = parts[1], 1
				if parts[2] != "" {
					weight, _ = strconv.ParseFloat(parts[2], 64) // it has the form of a number
				}
			}
			if !yield(name, weight) {
				return
			}
		}
	}
}
