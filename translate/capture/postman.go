package capture

import (
	"io"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file reads collections of Postman.

// maxAddress is how long an address may become by its variables, in bytes.
const maxAddress = 8 << 10

// variable is a variable in an address of Postman.
var variable = pattern.Late(`\{\{([^{}]*)\}\}`)

// expanded replaces variables by their values, whose own variables are replaced twice. An address that becomes too long stays as it is
// then: values may name each other.
func expanded(address string, variables map[string]string) string {
	for range 3 {
		if len(address) > maxAddress || !strings.Contains(address, "{{") {
			break
		}
		length := len(address)
		longer := variable().ReplaceAllStringFunc(address, func(found string) string {
			value, known := variables[strings.TrimSpace(found[2:len(found)-2])]
			if !known || length+len(value) > 2*maxAddress {
				return found
			}
			length += len(value)
			return value
		})
		if longer == address {
			break
		}
		address = longer
	}
	return address
}

// readPostman reads the requests of a collection and of its folders. Variables of the collection are replaced.
func readPostman(r io.Reader, visit func(Request)) error {
	d := newDocument(r)
	var requests []Request
	variables := map[string]string{}
	folder := members{}
	items := func() error { return d.array(func() error { return d.object(folder) }) }
	folder["item"] = items
	folder["request"] = func() error {
		request, err := d.postmanRequest()
		if err == nil && request.URL != "" && len(requests) < maxRequests {
			requests = append(requests, request)
		}
		return err
	}
	err := d.object(members{"item": items, "variable": func() error {
		return d.array(func() error {
			var key, value string
			err := d.object(members{"key": d.text(&key), "id": d.text(&key), "value": d.text(&value)})
			if len(variables) < maxRequests && len(key) <= maxName && len(value) <= maxAddress {
				variables[key] = value
			}
			return err
		})
	}})
	for _, request := range requests {
		request.URL = expanded(request.URL, variables)
		visit(request)
	}
	return ended(err)
}

// maxRequests is the largest number of requests of a collection.
const maxRequests = 100_000

func (d *document) postmanRequest() (r Request, err error) {
	r.Method = "GET"
	var form pairs
	fields := func() error { return d.pairs(&form, "key") }
	address := func() error {
		if d.PeekKind() == '"' {
			return d.address(&r)()
		}
		return d.postmanURL(&r)
	}
	if d.PeekKind() == '"' { // an address alone
		err = address()
		return r, err
	}
	err = d.object(members{"method": d.text(&r.Method), "url": address, "body": func() error {
		return d.object(members{"raw": d.text(&r.Body), "urlencoded": fields, "formdata": fields})
	}})
	r.Method = strings.ToUpper(r.Method)
	r.formBody(&form)
	return r, err
}

// postmanURL reads an address in its parts. Without the whole text it is put together.
func (d *document) postmanURL(r *Request) error {
	var host, path []string
	list := func(into *[]string) error {
		entry := func() error {
			var text string
			err := d.text(&text)()
			*into = append(*into, text)
			return err
		}
		if d.PeekKind() == '"' {
			return entry()
		}
		return d.array(entry)
	}
	err := d.object(members{"raw": d.address(r), "host": func() error { return list(&host) }, "path": func() error {
		if r.Line == 0 {
			r.Line, r.Column = d.places.at(d.InputOffset())
		}
		return list(&path)
	}})
	if r.URL == "" && len(path) > 0 {
		r.URL = strings.Join(host, ".") + "/" + strings.Join(path, "/")
		if !strings.HasPrefix(r.URL, "{{") {
			r.URL = "https://" + r.URL
		}
	}
	return err
}
