package capture

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads JSON value by value, and knows the line of each.

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

// members are functions that read the members of an object, by their names.
type members map[string]func() error

// object reads the members of an object that are asked for, and skips the others.
func (d *document) object(asked members) error {
	return d.each('{', func() error {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if read := asked[name.String()]; read != nil {
			return read()
		}
		return d.skip()
	})
}

// array calls a function for each entry, which it reads.
func (d *document) array(entry func() error) error { return d.each('[', entry) }

// each calls a function until the bracket closes with which the value begins. It skips another value.
func (d *document) each(bracket jsontext.Kind, entry func() error) error {
	if d.PeekKind() != bracket {
		return d.skip()
	}
	if d.depth++; d.depth > maxNesting {
		return errNesting
	}
	defer func() { d.depth-- }()
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != bracket+2 {
		if err := entry(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// text reads a text, "" for another value.
func (d *document) text(into *string) func() error {
	return func() error {
		if *into = ""; d.PeekKind() != '"' {
			return d.skip()
		}
		t, err := d.ReadToken()
		if err == nil {
			*into = t.String()
		}
		return err
	}
}

// address reads the address of a request and where it begins.
func (d *document) address(r *Request) func() error {
	return func() error {
		if r.URL = ""; d.PeekKind() != '"' {
			return d.skip()
		}
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		if r.Line == 0 {
			r.Line, r.Column = d.places.at(d.InputOffset() - int64(len(raw)) + 1)
		}
		t, err := jsontext.AppendUnquote(nil, raw)
		if r.URL = string(t); utf8.Valid(raw) {
			return err
		}
		return nil // what is not UTF-8 is replaced
	}
}

// ended returns the error of a document, with its place.
func ended(err error) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("it is no whole JSON document: %w", errJSON)
	}
	return nil
}

var errJSON = errors.New("it ends early, or has an error")
