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

// ended returns the error of a document, with its place.
func ended(err error) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("it is no whole JSON document: %w", errJSON)
	}
	return nil
}

var errJSON = errors.New("it ends early, or has an error")
