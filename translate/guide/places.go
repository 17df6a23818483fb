package guide

import (
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file names the places of the title and the reference of what was sold.

// placesOf returns the places of one operation.
func placesOf(o *v1.Operation, places []translate.Place) []translate.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p translate.Place) bool { return p.Operation != o })
}

// placesNote returns a note with the places, as Markdown; "" when there are none.
func placesNote(places []translate.Place) string {
	var parts []string
	for len(places) > 0 {
		o := places[0].Operation
		n := slices.IndexFunc(places, func(p translate.Place) bool { return p.Operation != o })
		if n < 0 {
			n = len(places)
		}
		var paths []string
		for _, p := range places[:n] {
			paths = append(paths, code(p.Path))
		}
		parts = append(parts, strings.Join(paths, " and ")+" of each result of "+code(o.Method+" "+o.Pattern))
		places = places[n:]
	}
	if parts == nil {
		return ""
	}
	return "Where title and reference of what was sold stand, as they were then: " + strings.Join(parts, ", ") + "."
}
