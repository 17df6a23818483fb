package legacy

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file reads the fields of a request: those of its query, then those of its body, for every method.

// readFields reads all fields. A body may have at most bodyLimit bytes.
func readFields(w http.ResponseWriter, r *http.Request, bodyLimit int64) (translate.Fields, error) {
	pairs, err := translate.ParseForm(r.URL.RawQuery)
	if err != nil {
		return nil, unreadable(err)
	}
	if err := translate.CheckUTF8(pairs); err != nil {
		return nil, err
	}
	if r.ContentLength != 0 {
		more, err := readBody(w, r, bodyLimit)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, more...)
	}
	fields, err := translate.NewFields(pairs)
	if err != nil {
		return nil, unreadable(err)
	}
	return fields, nil
}

// queryFields are the fields of the query alone, none if it cannot be read.
func queryFields(r *http.Request) translate.Fields {
	pairs, err := translate.ParseForm(r.URL.RawQuery)
	if err != nil || translate.CheckUTF8(pairs) != nil {
		return translate.Fields{}
	}
	fields, err := translate.NewFields(pairs)
	if err != nil {
		return translate.Fields{}
	}
	return fields
}

// unreadable is the answer to fields that cannot be understood.
func unreadable(err error) error {
	var refused v1.Errors
	code := v1.MalformedJSON // of bodies that are not what they claim to be
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, translate.ErrMediaType):
		return unsupported("Content-Type", "Send the fields as application/x-www-form-urlencoded or multipart/form-data.")
	case errors.Is(err, translate.ErrCharset):
		return unsupported("Content-Type", "Send text in UTF-8, ISO-8859-1 or Windows-1252.")
	case errors.Is(err, translate.ErrTooManyFields):
		code = v1.PayloadTooLarge
	case errors.Is(err, translate.ErrNesting):
		code = v1.InvalidValue
	}
	text := err.Error()
	return v1.Errors{{Code: code, Message: strings.ToUpper(text[:1]) + text[1:] + "."}}
}

// readBody reads the body's fields.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]translate.Pair, error) {
	tooLarge := v1.Errors{{Code: v1.PayloadTooLarge, Message: fmt.Sprintf("The body is larger than %d bytes.", limit)}}
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var beyond *http.MaxBytesError
	switch {
	case errors.As(err, &beyond):
		return nil, tooLarge
	case err != nil:
		return nil, v1.BodyEnds(err)
	case len(body) == 0:
		return nil, nil
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		w.Header().Set("Accept-Encoding", "identity")
		return nil, unsupported("Content-Encoding", "Send the body uncompressed.")
	}
	encoding, err := translate.ParseFormEncoding(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, unreadable(err)
	}
	pairs, err := encoding.Pairs(body)
	if err != nil {
		return nil, unreadable(err)
	}
	return pairs, nil
}

func unsupported(header, message string) v1.Errors {
	return v1.Errors{{Code: v1.UnsupportedMediaType, Field: header, Message: message}}
}
