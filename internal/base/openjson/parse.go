package openjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads a JSON text into the values that Append writes. Numbers stay as they were written.
func Parse(text []byte) (any, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	value, err := parseValue(d)
	if err == nil {
		if _, err = d.ReadToken(); err == nil {
			err = errors.New("something follows the value")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	return value, nil
}

func parseValue(d *jsontext.Decoder) (any, error) {
	switch d.PeekKind() {
	case '{':
		return parseObject(d)
	case '[':
		return parseArray(d)
	case '0':
		number, err := d.ReadValue()
		return number.Clone(), err
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		return token.String(), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func parseObject(d *jsontext.Decoder) (Object, error) {
	object := Object{}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		member := Member{Name: name.String()} // before the next read, which makes the token invalid
		if member.Value, err = parseValue(d); err != nil {
			return nil, err
		}
		object = append(object, member)
	}
	_, err := d.ReadToken()
	return object, err
}

func parseArray(d *jsontext.Decoder) ([]any, error) {
	array := []any{}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != ']' {
		element, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	_, err := d.ReadToken()
	return array, err
}
