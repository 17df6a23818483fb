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
	var items func() error
	items = func() error {
		return d.array(func() error {
			return d.object(func(name string) (read bool, err error) {
				switch name {
				case "item":
					return true, items()
				case "request":
					request, err := d.postmanRequest()
					if err == nil && request.URL != "" && len(requests) < maxRequests {
						requests = append(requests, request)
					}
					return true, err
				}
				return false, nil
			})
		})
	}
	err := d.object(func(name string) (bool, error) {
		switch name {
		case "item":
			return true, items()
		case "variable":
			return true, d.array(func() error {
				var key, value string
				err := d.object(func(name string) (read bool, err error) {
					switch name {
					case "key", "id":
						key, err = d.text()
					case "value":
						value, err = d.text()
					default:
						return false, nil
					}
					return true, err
				})
				if len(variables) < maxRequests && len(key) <= maxName && len(value) <= maxAddress {
					variables[key] = value
				}
				return err
			})
		}
		return false, nil
	})
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
	if d.PeekKind() == '"' { // an address alone
		r.URL, err = d.placedText(&r)
		return r, err
	}
	var form pairs
	err = d.object(func(name string) (read bool, err error) {
		switch name {
		case "method":
			r.Method, err = d.text()
			r.Method = strings.ToUpper(r.Method)
		case "url":
			if d.PeekKind() == '"' {
				r.URL, err = d.placedText(&r)
				return true, err
			}
			err = d.postmanURL(&r)
		case "body":
			err = d.object(func(name string) (read bool, err error) {
				switch name {
				case "raw":
					r.Body, err = d.text()
				case "urlencoded", "formdata":
					err = d.pairs(&form, "key")
				default:
					return false, nil
				}
				return true, err
			})
		default:
			return false, nil
		}
		return true, err
	})
	r.formBody(&form)
	return r, err
}

// postmanURL reads an address in its parts. Without the whole text it is put together.
func (d *document) postmanURL(r *Request) error {
	var host, path []string
	raw := ""
	list := func(into *[]string) error {
		if d.PeekKind() == '"' {
			text, err := d.text()
			*into = append(*into, text)
			return err
		}
		return d.array(func() error {
			text, err := d.text()
			*into = append(*into, text)
			return err
		})
	}
	err := d.object(func(name string) (read bool, err error) {
		switch name {
		case "raw":
			raw, err = d.placedText(r)
		case "host":
			err = list(&host)
		case "path":
			if r.Line == 0 {
				r.Line, r.Column = d.places.at(d.InputOffset())
			}
			err = list(&path)
		default:
			return false, nil
		}
		return true, err
	})
	r.URL = raw
	if raw == "" && len(path) > 0 {
		r.URL = strings.Join(host, ".") + "/" + strings.Join(path, "/")
		if !strings.HasPrefix(r.URL, "{{") {
			r.URL = "https://" + r.URL
		}
	}
	return err
}
