package scan

import (
	"encoding/xml"
	"io"
	"strings"
)

// This file reads XML.

// readXML reads the attributes and the texts of XML, up to the first error.
func readXML(text string) []*setting {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the text is UTF-8 already
	root := &setting{}
	stack := []*setting{root}
	lastKey := ""
	for {
		from := int(decoder.InputOffset())
		t, err := decoder.RawToken()
		if err != nil {
			return withoutEmpty(root.kids)
		}
		to := int(decoder.InputOffset())
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			one := &setting{key: t.Name.Local, at: from}
			key, value := "", -1
			for i, attribute := range t.Attr {
				switch strings.ToLower(attribute.Name.Local) {
				case "key", "name", "id":
					if key == "" {
						key = attribute.Value
					}
				case "value", "connectionstring":
					value = i
				}
			}
			raw := text[from:min(to, len(text))]
			searched := 0
			for i, attribute := range t.Attr {
				if at := strings.Index(raw[searched:], attribute.Value); at >= 0 {
					searched += at
				}
				where := from + searched
				if key != "" && i == value {
					one.key, one.text, one.at = key, attribute.Value, where
				}
				one.kids = append(one.kids, &setting{key: attribute.Name.Local, text: attribute.Value, at: where})
			}
			if key != "" && value < 0 && one.key != "setting" {
				one.key = key
			} else if key != "" && value < 0 {
				one.key = key
			}
			if one.text != "" && len(one.kids) > 2 { // key, value and more
				one.kids = append(one.kids, &setting{key: key, text: one.text, at: one.at})
				one.text = ""
			} else if one.text != "" {
				one.kids = nil
			}
			if lastKey != "" && one.key == "string" { // <key>…</key><string>…</string>
				one.key, lastKey = lastKey, ""
			}
			if len(stack) < maxDepth {
				top.kids = append(top.kids, one)
			}
			stack = append(stack, one)
		case xml.EndElement:
			if len(stack) > 1 {
				if top.key == "key" {
					lastKey = top.text
				}
				if top.key == "value" && len(top.kids) == 0 && len(stack) > 2 && stack[len(stack)-2].text == "" {
					stack[len(stack)-2].text, stack[len(stack)-2].at, stack[len(stack)-2].kids = top.text, top.at, nil
				}
				stack = stack[:len(stack)-1]
			}
		case xml.CharData:
			if value := strings.TrimSpace(string(t)); value != "" && top != root {
				top.text = value
				top.at = from + max(strings.Index(text[from:min(to, len(text))], value), 0)
			}
		}
	}
}
