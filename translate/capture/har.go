package capture

import (
	"io"
	"net/url"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file reads HAR.

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
					form.decode()
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

// decode decodes names and values that are encoded already, as some browsers record them: at least one has an escape, and each can
// be decoded.
func (p *pairs) decode() {
	var decoded pairs
	escapes := false
	for field := range strings.SplitSeq(p.b.String(), "&") {
		name, value, _ := strings.Cut(field, "=")
		var texts [2]string
		var err error
		for i, text := range []string{name, value} {
			if text, err = url.QueryUnescape(text); err == nil {
				texts[i], err = url.QueryUnescape(text)
				escapes = escapes || hexEscape().MatchString(text)
			}
			if err != nil {
				return
			}
		}
		decoded.add(texts[0], texts[1])
	}
	if escapes {
		p.b.Reset()
		p.b.WriteString(decoded.b.String())
	}
}

var hexEscape = pattern.Late(`%[0-9A-Fa-f]{2}`)

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
