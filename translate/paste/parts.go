package paste

import (
	"strings"

	"sellerd/translate"
)

// This file reads curl's option -F, which sends a part of a multipart form with parameters: title=Postcard;type=text/plain;
// charset=utf-8

// formPart is a part of a multipart form.
type formPart struct {
	translate.Pair
	contentType string // its own
}

// formPart reads the value of -F or --form-string.
func (p *pasted) formPart(option, value string) error {
	name, text, _ := strings.Cut(value, "=")
	part := formPart{Pair: translate.Pair{Name: name, Text: text}}
	if option == "form" {
		switch {
		case strings.HasPrefix(text, "@"):
			return p.unreadable(translate.RefuseFile(name))
		case strings.HasPrefix(text, "<"):
			p.file = "--" + option
			return refusePaste("request", "It reads a field from a file. Put the field's value into the command.")
		}
		var parameters string
		part.Text, parameters = formWord(text)
		if err := p.partParameters(&part, parameters); err != nil {
			return err
		}
	}
	p.parts, p.hasBody = append(p.parts, part), true
	return nil
}

// partParameters reads the parameters after a part's text. A parameter that curl does not know belongs to the type before it.
// Without a type it is ignored.
func (p *pasted) partParameters(part *formPart, rest string) error {
	typed := false
	for rest != "" {
		var word string
		switch name, value, _ := strings.Cut(strings.TrimLeft(rest, " "), "="); name {
		case "type":
			word, rest, _ = strings.Cut(value, ";")
			part.contentType, typed = word, true
		case "filename":
			if word, rest = formWord(value); word != "" {
				return p.unreadable(translate.RefuseFile(part.Name))
			}
			typed = false
		case "encoder", "headers":
			return refusePaste("request", "One of its parts has "+name+"=, which is not understood here. Put the field's value into the command as it is.")
		default:
			if word, rest = formWord(rest); typed {
				part.contentType += "; " + word
			}
		}
	}
	return nil
}

// formWord reads a text of -F as curl does: up to a semicolon, or in double quotes. Inside quotes a backslash escapes a quote
// or another backslash.
func formWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " ")
	if inside, ok := strings.CutPrefix(text, `"`); ok {
		var b strings.Builder
		for i := 0; i < len(inside); i++ {
			switch {
			case inside[i] == '"':
				_, rest, _ = strings.Cut(inside[i:], ";")
				return b.String(), rest
			case inside[i] == '\\' && i+1 < len(inside) && strings.IndexByte(`"\`, inside[i+1]) >= 0:
				i++
			}
			b.WriteByte(inside[i])
		}
	}
	word, rest, _ = strings.Cut(text, ";")
	return strings.TrimRight(word, " "), rest
}

// partPairs returns the fields of the parts. curl adds a boundary of its own to the type of the header.
func (p *pasted) partPairs() (pairs []translate.Pair, err error) {
	if len(p.parts) == 0 {
		return nil, nil
	}
	media := p.media
	if media == "" {
		media = translate.MediaMultipart
	}
	encoding, err := translate.ParseFormEncoding(media + "; boundary=curl")
	if err != nil {
		return nil, err
	}
	if !encoding.Multipart {
		return nil, refusePaste("request", "It sends parts with -F, and its Content-Type is not "+translate.MediaMultipart+". Take the header out.")
	}
	for _, part := range p.parts {
		pair, err := encoding.Part(part.contentType, part.Pair)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}
