package translate

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"sellerd/v1"
)

// This file parses the body of a request as /rest does. The translator parses pasted bodies with it, so both accept and reject
// the same bodies.

// The media types of bodies.
const (
	MediaForm      = "application/x-www-form-urlencoded"
	MediaMultipart = "multipart/form-data"
)

// Errors of bodies.
var (
	ErrMediaType = errors.New("the fields are neither " + MediaForm + " nor " + MediaMultipart)
	ErrCharset   = errors.New("the text is neither UTF-8, ISO-8859-1 nor Windows-1252")
	ErrParts     = errors.New("the body is not encoded as " + MediaMultipart)
)

// FormEncoding is how the fields of a body are encoded.
type FormEncoding struct {
	Multipart bool
	boundary  string
	latin     bool // the text is in ISO-8859-1 or Windows-1252, and not in UTF-8
}

// ParseFormEncoding parses a Content-Type. An empty one means a form in UTF-8: PHP's curl omits the type or sends one of the
// two. The error is ErrMediaType or ErrCharset.
func ParseFormEncoding(contentType string) (FormEncoding, error) {
	if contentType == "" {
		return FormEncoding{}, nil
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != MediaForm && media != MediaMultipart {
		return FormEncoding{}, ErrMediaType
	}
	latin, err := isLatin(params["charset"])
	return FormEncoding{Multipart: media == MediaMultipart, boundary: params["boundary"], latin: latin}, err
}

// Pairs returns the fields of a body in their order, as UTF-8. The error is v1.Errors about a field that is no text, or
// ErrParts, ErrEncoding, ErrTooManyFields, or ErrCharset of a part.
func (e FormEncoding) Pairs(body []byte) ([]Pair, error) {
	if e.Multipart {
		return e.parts(body)
	}
	// A file that is sent as a form may begin with a byte order mark, and ends with the end of its last line.
	pairs, err := ParseForm(string(bytes.TrimRight(bytes.TrimPrefix(body, []byte("\ufeff")), "\r\n")))
	if err != nil {
		return nil, err
	}
	return pairs, convert(pairs, e.latin)
}

// parts parses a multipart body.
func (e FormEncoding) parts(body []byte) ([]Pair, error) {
	if e.boundary == "" {
		return nil, ErrParts
	}
	var pairs []Pair
	for reader := multipart.NewReader(bytes.NewReader(body), e.boundary); ; {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			if pairs == nil && !bytes.Contains(body, []byte("--"+e.boundary)) {
				return nil, ErrParts // the reader skips everything before the first boundary
			}
			return pairs, nil
		}
		if err != nil {
			return nil, ErrParts
		}
		if part.FileName() != "" {
			return nil, RefuseFile(part.FormName())
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, ErrParts
		}
		pair, err := e.Part(part.Header.Get("Content-Type"), Pair{part.FormName(), string(text)})
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
}

// Part converts a part to UTF-8. Its own Content-Type may name a character set.
func (e FormEncoding) Part(contentType string, pair Pair) (Pair, error) {
	latin := e.latin
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		if latin, err = isLatin(params["charset"]); err != nil {
			return Pair{}, err
		}
	}
	one := []Pair{pair}
	err := convert(one, latin)
	return one[0], err
}

// RefuseFile returns the error for a field that is a file.
func RefuseFile(name string) v1.Errors {
	return v1.Errors{{Code: v1.InvalidValue, Field: name, Message: "is a file. Files are not taken: send the address of an image."}}
}

// isLatin says whether a character set is one of Latin letters. The error is ErrCharset.
func isLatin(charset string) (bool, error) {
	switch strings.ToLower(charset) {
	case "", "utf-8", "utf8", "us-ascii":
		return false, nil
	case "iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252":
		return true, nil
	}
	return false, ErrCharset
}

// convert converts names and texts to UTF-8, and rejects texts in another encoding than they claim. Windows-1252 also reads
// ISO-8859-1, as in browsers: it has letters and the euro sign in place of control characters. Every byte is a character there.
func convert(pairs []Pair, latin bool) error {
	if !latin {
		return CheckUTF8(pairs)
	}
	decoder := charmap.Windows1252.NewDecoder()
	for i := range pairs {
		pairs[i].Name, _ = decoder.String(pairs[i].Name)
		pairs[i].Text, _ = decoder.String(pairs[i].Text)
	}
	return nil
}

// CheckUTF8 rejects fields that are not UTF-8. The error is v1.Errors about the first of them.
func CheckUTF8(pairs []Pair) error {
	for i := range pairs {
		if !utf8.ValidString(pairs[i].Name) || !utf8.ValidString(pairs[i].Text) {
			name := strings.ToValidUTF8(pairs[i].Name, "\ufffd")
			return v1.Errors{{Code: v1.InvalidValue, Field: name, Message: "is not UTF-8. Say the character set in Content-Type: charset=iso-8859-1."}}
		}
	}
	return nil
}
