package openjson

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads a JSON text into the values that Append writes. Numbers stay as they were written.
func Parse(text []byte) (any, error) {
	var value any
	if err := json.Unmarshal(text, &value, inOrder); err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	return value, nil
}

// inOrder has objects read as Object, and numbers as they are.
var inOrder = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, value *any) error {
	switch d.PeekKind() {
	case '{':
		object := Object{}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for d.PeekKind() != '}' {
			var m Member
			if err := json.UnmarshalDecode(d, &m.Name); err != nil {
				return err
			}
			if err := json.UnmarshalDecode(d, &m.Value); err != nil {
				return err
			}
			object = append(object, m)
		}
		*value = object
		_, err := d.ReadToken()
		return err
	case '0':
		number, err := d.ReadValue()
		*value = number.Clone()
		return err
	}
	return errors.ErrUnsupported // the usual reading
}))
