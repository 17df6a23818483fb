package legacy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"sellerd/translate"
	"sellerd/v1"
)

// This file reads the fields of a request: those of its query, then those of its body, for every method.

// The media types of bodies.
const (
	urlencoded = "application/x-www-form-urlencoded"
	formData   = "multipart/form-data"
)

// readFields reads all fields. A body may have that many bytes.
func readFields(w http.ResponseWriter, r *http.Request, bodyLimit int64) (translate.Fields, error) {
	pairs, err := translate.ParseForm(r.URL.RawQuery)
	if err != nil {
		return nil, unreadable(err)
	}
	if err := checkText(pairs); err != nil {
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

// unreadable is the answer to fields that cannot be understood.
func unreadable(err error) error {
	code := v1.MalformedJSON // of bodies that are not what they claim to be
	switch {
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
		return nil, unreadable(errBodyEnds)
	case len(body) == 0:
		return nil, nil
	}
	media, charset, boundary, err := contentType(r.Header)
	if err != nil {
		return nil, err
	}
	var pairs []translate.Pair
	if media == formData {
		pairs, err = readParts(body, boundary, charset)
	} else if pairs, err = translate.ParseForm(string(body)); err != nil {
		err = unreadable(err)
	} else {
		err = charset.convert(pairs)
	}
	return pairs, err
}

var (
	errBodyEnds = errors.New("the body ended early")
	errParts    = errors.New("the body is not encoded as multipart/form-data")
)

// contentType says how to read a body. PHP's curl leaves the type out or says one of the two.
func contentType(h http.Header) (media string, in charset, boundary string, err error) {
	if encoding := h.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return "", utf8Text, "", unsupported("Content-Encoding", "Send the body uncompressed.")
	}
	header := h.Get("Content-Type")
	if header == "" {
		return urlencoded, utf8Text, "", nil
	}
	media, params, err := mime.ParseMediaType(header)
	if err != nil || media != urlencoded && media != formData {
		return "", utf8Text, "", unsupported("Content-Type", "Send the fields as "+urlencoded+" or "+formData+".")
	}
	in, err = charsetOf(params)
	return media, in, params["boundary"], err
}

func unsupported(header, message string) v1.Errors {
	return v1.Errors{{Code: v1.UnsupportedMediaType, Field: header, Message: message}}
}

// readParts reads a multipart body. A part may say its own character set.
func readParts(body []byte, boundary string, in charset) ([]translate.Pair, error) {
	if boundary == "" {
		return nil, unreadable(errParts)
	}
	var pairs []translate.Pair
	for reader := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			if pairs == nil && !bytes.Contains(body, []byte("--"+boundary)) {
				return nil, unreadable(errParts) // the reader takes anything for what may stand before the first part
			}
			return pairs, nil
		}
		if err != nil {
			return nil, unreadable(errParts)
		}
		name := part.FormName()
		if part.FileName() != "" {
			return nil, v1.Errors{{Code: v1.InvalidValue, Field: name, Message: "is a file. Files are not taken: send the address of an image."}}
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, unreadable(errParts)
		}
		own := in
		if _, params, err := mime.ParseMediaType(part.Header.Get("Content-Type")); err == nil && params["charset"] != "" {
			if own, err = charsetOf(params); err != nil {
				return nil, err
			}
		}
		pair := []translate.Pair{{Name: name, Text: string(text)}}
		if err := own.convert(pair); err != nil {
			return nil, err
		}
		pairs = append(pairs, pair...)
	}
}

// charset is how a body's text is encoded.
type charset int

const (
	utf8Text charset = iota
	latinText
)

func charsetOf(params map[string]string) (charset, error) {
	switch strings.ToLower(params["charset"]) {
	case "", "utf-8", "utf8", "us-ascii":
		return utf8Text, nil
	case "iso-8859-1", "latin1", "windows-1252":
		return latinText, nil
	}
	return utf8Text, unsupported("Content-Type", "Send text in UTF-8, ISO-8859-1 or Windows-1252.")
}

// convert makes UTF-8 of names and texts. What is not what it claims to be is refused. Windows-1252 is ISO-8859-1 with
// letters and the euro sign in place of control characters, so it reads both, as browsers do.
func (c charset) convert(pairs []translate.Pair) error {
	if c == utf8Text {
		return checkText(pairs)
	}
	decoder := charmap.Windows1252.NewDecoder()
	for i := range pairs {
		for _, text := range []*string{&pairs[i].Name, &pairs[i].Text} {
			if isASCII(*text) {
				continue
			}
			converted, err := decoder.String(*text)
			if err != nil {
				return fmt.Errorf("convert from Windows-1252: %w", err) // every byte means something
			}
			*text = converted
		}
	}
	return nil
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// checkText refuses text that is not UTF-8.
func checkText(pairs []translate.Pair) error {
	for i := range pairs {
		if !utf8.ValidString(pairs[i].Name) || !utf8.ValidString(pairs[i].Text) {
			name := strings.ToValidUTF8(pairs[i].Name, "\ufffd")
			return v1.Errors{{Code: v1.InvalidValue, Field: name, Message: "is not UTF-8. Say the character set in Content-Type: charset=iso-8859-1."}}
		}
	}
	return nil
}
