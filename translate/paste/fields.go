package paste

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/translate"
	"sellerd/v1"
)

// This file reads the fields of a paste: those of the query, and then those of the body, as /rest does.

// fields returns the fields of a request. The character set of the Content-Type applies to the body and not to the query.
func (p *pasted) fields(query, body string) (translate.Fields, error) {
	pairs, err := translate.ParseForm(query)
	if err != nil {
		return nil, refusePaste("request", "The query of its address is not encoded as queries are: a % must be written %25.")
	}
	if err := translate.CheckUTF8(pairs); err != nil {
		return nil, p.unreadable(err)
	}
	p.secretsOf(pairs)
	more, err := p.bodyPairs(body)
	if err != nil {
		return nil, p.unreadable(err)
	}
	p.secretsOf(more)
	pairs = append(pairs, more...)
	for i := range pairs {
		if name, cut := strings.CutPrefix(pairs[i].Name, "amp;"); cut {
			pairs[i].Name = name
			p.vars.note(name, "The paste has &amp; before this field, as HTML writes it. It was read as &.")
		}
		pairs[i].Name, pairs[i].Text = p.nameWithoutSecrets(pairs[i].Name), p.vars.filledIn(p.withoutSecrets(pairs[i].Text), braces)
	}
	fields, err := translate.NewFields(pairs)
	if err != nil {
		return nil, p.unreadable(err)
	}
	return fields, nil
}

// secretsOf remembers the credentials among fields.
func (p *pasted) secretsOf(pairs []translate.Pair) {
	for _, pair := range pairs {
		if translate.IsCredential(pair.Name) {
			p.secret(pair.Text)
		}
	}
}

// bodyPairs returns the fields of the command's body and of the body that was pasted beside it. Without a body the headers
// about it do not matter.
func (p *pasted) bodyPairs(body string) (pairs []translate.Pair, err error) {
	texts := slices.DeleteFunc([]string{strings.Join(p.form, "&"), strings.TrimSpace(body)}, func(text string) bool { return text == "" })
	if len(texts) == 0 && len(p.parts) == 0 {
		return nil, nil
	}
	if p.coding != "" && p.coding != "identity" {
		return nil, refusePaste("request", "Its body is compressed, which the old interface does not take.")
	}
	for _, text := range texts {
		switch whole := strings.TrimSpace(text); {
		case strings.HasPrefix(whole, "{"):
			in := jsontext.NewDecoder(strings.NewReader(whole), jsontext.AllowDuplicateNames(true))
			if pairs, err = appendJSON(pairs, in, ""); err == nil && in.InputOffset() == int64(len(whole)) {
				p.vars.note("", "It sends JSON. "+readAsForm)
				continue
			}
			fallthrough
		case strings.HasPrefix(whole, "<"), strings.HasPrefix(whole, "["):
			return nil, refusePaste("body", "It is no form. Legacy calls take fields such as title=Postcard&fixed_price=4.50")
		}
		more, err := p.formPairs(text)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, more...)
	}
	more, err := p.partPairs()
	return append(pairs, more...), err
}

// formPairs returns the fields of a form.
func (p *pasted) formPairs(text string) ([]translate.Pair, error) {
	encoding, err := translate.ParseFormEncoding(p.media)
	if err != nil {
		return nil, err
	}
	if encoding.Multipart && !strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n") // the clipboard removed the carriage returns
	}
	return encoding.Pairs([]byte(text))
}

// readAsForm is said about JSON.
const readAsForm = "Its members were read as the fields of a form, which the old interface takes."

// appendJSON appends the fields of a form that has the members of JSON.
func appendJSON(pairs []translate.Pair, in *jsontext.Decoder, name string) ([]translate.Pair, error) {
	if strings.Count(name, "[") > maxDepth/4 {
		return nil, translate.ErrNesting
	}
	token, err := in.ReadToken()
	if err != nil {
		return nil, err
	}
	kind, text := token.Kind(), token.String()
	switch kind {
	case '{', '[':
	case 'n': // which is not sent
		return append(pairs, translate.Pair{Name: name}), nil
	default:
		return append(pairs, translate.Pair{Name: name, Text: text}), nil
	}
	for i := 0; in.PeekKind() != kind+2; i++ { // the bracket that closes
		key := strconv.Itoa(i)
		if kind == '{' {
			if token, err = in.ReadToken(); err != nil {
				return nil, err
			}
			key = token.String()
		}
		if name != "" {
			key = strings.TrimSuffix(name, "[]") + "[" + key + "]"
		}
		if pairs, err = appendJSON(pairs, in, key); err != nil {
			return nil, err
		}
	}
	_, err = in.ReadToken()
	return pairs, err
}

// unreadable returns the error for a paste whose fields cannot be read.
func (p *pasted) unreadable(err error) error {
	var errs v1.Errors
	switch {
	case errors.As(err, &errs):
		errs[0].Field = p.shown(errs[0].Field)
		return errs
	case errors.Is(err, translate.ErrMediaType):
		return refusePaste("request", "Its Content-Type is none that the old interface takes: those are "+translate.MediaForm+" and "+translate.MediaMultipart+".")
	case errors.Is(err, translate.ErrCharset):
		return refusePaste("request", "Its character set is none that the old interface takes: those are UTF-8, ISO-8859-1 and Windows-1252.")
	case errors.Is(err, translate.ErrParts):
		return refusePaste("body", "It is not encoded as "+translate.MediaMultipart+", which its Content-Type says.")
	case errors.Is(err, translate.ErrEncoding):
		return refusePaste("body", "It is not encoded as forms are: a % must be written %25.")
	case errors.Is(err, translate.ErrNesting):
		return refusePaste("body", "The brackets in the name of a field cannot be understood.")
	default:
		return err // no other error is possible in 64 KiB
	}
}
