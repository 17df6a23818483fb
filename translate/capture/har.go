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
	entry := members{"request": func() error {
		request, err := d.harRequest()
		if err == nil && request.URL != "" {
			visit(request)
		}
		return err
	}}
	entries := members{"entries": func() error { return d.array(func() error { return d.object(entry) }) }}
	return ended(d.object(members{"log": func() error { return d.object(entries) }}))
}

func (d *document) harRequest() (r Request, err error) {
	var form pairs
	posted := members{"mimeType": d.text(&r.ContentType), "text": d.text(&r.Body), "params": func() error {
		defer form.decode()
		return d.pairs(&form, "name")
	}}
	err = d.object(members{"method": d.text(&r.Method), "url": d.address(&r), "postData": func() error { return d.object(posted) }})
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
		err := d.object(members{nameMember: d.text(&name), "value": d.text(&value), "disabled": func() error {
			disabled = d.PeekKind() == 't'
			return d.skip()
		}})
		if name != "" && !disabled {
			form.add(name, value)
		}
		return err
	})
}
