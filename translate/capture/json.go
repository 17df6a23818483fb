package capture

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads HAR and collections of Postman, value by value.

// places counts the lines and the characters of a stream. It keeps only the bytes that were read ahead.
type places struct {
	r            io.Reader
	ahead        []byte // what was read and is not counted
	offset       int64  // of the first byte ahead
	line, column int    // of that byte, from 1
}

// Read implements io.Reader.
func (p *places) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.ahead = append(p.ahead, b[:n]...)
	return n, err
}

// at returns the line and the column of an offset, which is not before that of the last call.
func (p *places) at(offset int64) (line, column int) {
	n := max(min(int(offset-p.offset), len(p.ahead)), 0)
	for _, c := range p.ahead[:n] {
		switch {
		case c == '\n':
			p.line, p.column = p.line+1, 1
		case utf8.RuneStart(c):
			p.column++
		}
	}
	p.ahead, p.offset = p.ahead[n:], p.offset+int64(n)
	return p.line, p.column
}

// document is a JSON document that is read value by value.
type document struct {
	*jsontext.Decoder
	places *places
	depth  int
}

func newDocument(r io.Reader) *document {
	p := &places{r: r, line: 1, column: 1}
	return &document{Decoder: jsontext.NewDecoder(p, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), places: p}
}

// maxNesting is how deep folders of a collection may be.
const maxNesting = 50

var errNesting = errors.New("it is nested too deep")

// skip skips a value token by token, so that no more than a token of it is kept.
func (d *document) skip() error {
	for depth := d.StackDepth(); ; {
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		d.places.at(d.InputOffset())
		if d.StackDepth() <= depth {
			return nil
		}
	}
}

// object calls a function with the name of each member. The function reads the value, or returns false: then it is skipped.
func (d *document) object(member func(name string) (bool, error)) error {
	if d.PeekKind() != '{' {
		return d.skip()
	}
	if d.depth++; d.depth > maxNesting {
		return errNesting
	}
	defer func() { d.depth-- }()
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		read, err := member(name.String())
		if err == nil && !read {
			err = d.skip()
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// array calls a function for each entry, which it reads.
func (d *document) array(entry func() error) error {
	if d.PeekKind() != '[' {
		return d.skip()
	}
	if d.depth++; d.depth > maxNesting {
		return errNesting
	}
	defer func() { d.depth-- }()
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := entry(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// text reads a text, "" for another value.
func (d *document) text() (string, error) {
	if d.PeekKind() != '"' {
		return "", d.skip()
	}
	t, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	return t.String(), nil
}

// placedText reads a text and where it begins.
func (d *document) placedText(r *Request) (string, error) {
	if d.PeekKind() != '"' {
		return "", d.skip()
	}
	raw, err := d.ReadValue()
	if err != nil {
		return "", err
	}
	if r.Line == 0 {
		r.Line, r.Column = d.places.at(d.InputOffset() - int64(len(raw)) + 1)
	}
	t, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && !utf8.Valid(raw) {
		err = nil // what is not UTF-8 is replaced
	}
	return string(t), err
}

// readHAR reads log.entries[].request.
func readHAR(r io.Reader, visit func(Request)) error {
	d := newDocument(r)
	err := d.object(func(name string) (bool, error) {
		if name != "log" {
			return false, nil
		}
		return true, d.object(func(name string) (bool, error) {
			if name != "entries" {
				return false, nil
			}
			return true, d.array(func() error {
				return d.object(func(name string) (bool, error) {
					if name != "request" {
						return false, nil
					}
					request, err := d.harRequest()
					if err == nil && request.URL != "" {
						visit(request)
					}
					return true, err
				})
			})
		})
	})
	return ended(err)
}

// ended returns the error of a document, with its place.
func ended(err error) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("it is no whole JSON document: %w", errJSON)
	}
	return nil
}

var errJSON = errors.New("it ends early, or has an error")

func (d *document) harRequest() (r Request, err error) {
	var form pairs
	err = d.object(func(name string) (read bool, err error) {
		switch name {
		case "method":
			r.Method, err = d.text()
		case "url":
			r.URL, err = d.placedText(&r)
		case "postData":
			err = d.object(func(name string) (read bool, err error) {
				switch name {
				case "mimeType":
					r.ContentType, err = d.text()
				case "text":
					r.Body, err = d.text()
				case "params":
					err = d.pairs(&form, "name")
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
	r.Method = strings.ToUpper(r.Method)
	return r, err
}

// formBody uses fields as the body of a request that has no text.
func (r *Request) formBody(form *pairs) {
	if (r.Body == "" || strings.HasPrefix(r.ContentType, "multipart/")) && form.b.Len() > 0 {
		r.Body, r.ContentType = form.b.String(), "application/x-www-form-urlencoded"
	}
}

// pairs reads a list of fields.
func (d *document) pairs(form *pairs, nameMember string) error {
	return d.array(func() error {
		var name, value string
		disabled := false
		err := d.object(func(member string) (read bool, err error) {
			switch member {
			case nameMember:
				name, err = d.text()
			case "value":
				value, err = d.text()
			case "disabled":
				disabled = d.PeekKind() == 't'
				return false, nil
			default:
				return false, nil
			}
			return true, err
		})
		if name != "" && !disabled {
			form.add(name, value)
		}
		return err
	})
}

// maxAddress is how long an address may become by its variables, in bytes.
const maxAddress = 8 << 10

// variable is a variable in an address of Postman.
var variable = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// expanded replaces variables by their values, whose own variables are replaced twice. An address that becomes too long stays as it is
// then: values may name each other.
func expanded(address string, variables map[string]string) string {
	for range 3 {
		if len(address) > maxAddress || !strings.Contains(address, "{{") {
			break
		}
		length := len(address)
		longer := variable.ReplaceAllStringFunc(address, func(found string) string {
			value, known := variables[found[2:len(found)-2]]
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
