package guide

import (
	"slices"
	"strings"
	"unicode"

	"sellerd/translate"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// This file says where values stand in /v1, in full: sale.item.title is the member title of item of a sale, and each section
// says in which answers there are sales.

// objectOf returns the object that an operation answers, or that each entry of its list is. Its name is that of its schema.
func objectOf(o *v1.Operation) Object {
	t, is := o.Out, "`data`"
	if field, ok := t.FieldByName("Results"); ok {
		t, is = field.Type.Elem(), "each entry of `data.results`"
	}
	return Object{snake(openapi.TypeName(t)), is + " of " + code(o.Method+" "+o.Pattern)}
}

// snake returns the name of a type as members are written: shipping_model.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// sources are, for calls of several requests, the operations that answer the members of their results, by the beginning of
// paths. of describes the object; a member without an operation is on /rest alone.
var sources = []struct {
	prefix, member, of string
	from               *v1.Operation
}{
	{"sale.", "", "the sale", v1.BrowseSales.Operation},
	{"item.", "", "the item", v1.BrowseItems.Operation},
	{"shipping_address.", "shipping_address.", "the sale", v1.BrowseSales.Operation},
	{"webhook.", "", "the webhook", v1.BrowseWebhooks.Operation},
	{"type", "events[]", "the webhook", v1.BrowseWebhooks.Operation},
	{"setting_number", "", "", nil},
	{"account_id", "id", "`" + v1.GetAccount.Method + " " + v1.GetAccount.Pattern + "`", v1.GetAccount.Operation},
}

// memberOf returns the member that a row's path means, its object in words, and the operation that answers it. Calls without
// an operation have none.
func memberOf(call *translate.Call, path string) (member, of string, from *v1.Operation) {
	switch call.Target.Kind {
	case translate.Local:
		return "", "", nil
	case translate.Composed:
		for _, source := range sources {
			if rest, ok := strings.CutPrefix(path, source.prefix); ok {
				return source.member + rest, source.of, source.from
			}
		}
	}
	return path, "", call.Target.Operation()
}

// setPaths fills in where the fields of a request stand.
func setPaths(call *translate.Call, fields []Field) {
	for i := range fields {
		paths := strings.Fields(fields[i].V1)
		for j, path := range paths {
			if call.Each != "" && !strings.ContainsAny(path[:1], "{?@") {
				paths[j] = call.Each + "[]." + path
			}
		}
		fields[i].Path = strings.Join(paths, " ")
	}
}

// objectsOf returns the objects with which the paths of a call's elements begin, in the order of the elements.
func objectsOf(call *translate.Call) (objects []Object) {
	add := func(o *v1.Operation) {
		if object := objectOf(o); !slices.Contains(objects, object) {
			objects = append(objects, object)
		}
	}
	also := false
	for i := range call.Out {
		if member, _, from := memberOf(call, call.Out[i].V1); member != "" {
			add(from)
		}
		also = also || alsoAt(call, &call.Out[i]) != nil
	}
	for i := range call.Names {
		if also {
			add(call.Names[i].Operation)
		}
	}
	return objects
}

// alsoAt returns the further places of an element: those of the title and the reference of what was sold.
func alsoAt(call *translate.Call, row *translate.Row) (paths []string) {
	for i := range call.Names {
		if place := &call.Names[i]; row.Legacy != "" && strings.HasSuffix(place.Path, "."+row.Legacy) {
			paths = append(paths, fullPath(place))
		}
	}
	return paths
}

// fullPath returns the path of a place from its object on.
func fullPath(p *translate.Place) string { return objectOf(p.Operation).Name + "." + p.Path }

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
		for i := range places[:n] {
			paths = append(paths, code(fullPath(&places[i])))
		}
		parts = append(parts, inList(paths)+" in "+code(o.Method+" "+o.Pattern))
		places = places[n:]
	}
	if parts == nil {
		return ""
	}
	return "Title and reference of what was sold, as they were at that time, are " + strings.Join(parts, ", and ") + "."
}
