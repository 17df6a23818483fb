package servertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/v1"
)

// This file compares an answer of /rest with the answers of its requests in /v1, by the rows of the tables.

// ReadRest reads an answer that another program got, such as a command of a shell. Its status is unknown.
func ReadRest(tb testing.TB, body string) RestAnswer {
	tb.Helper()
	root, err := readElement(body)
	if err != nil {
		tb.Fatalf("not XML: %v\n%s", err, body)
	}
	return RestAnswer{Body: body, root: root}
}

// TwinResults are the results of a call, made of the data that its steps returned, in the form of the rows' paths. The data
// of a later step are in the results that they belong to. Numbers must be json.Number.
func (w *World) TwinResults(plan *translate.Plan, data []any) (results []map[string]any) {
	for _, result := range listed(data[0]) {
		switch {
		case plan.Target.Kind == translate.Direct:
			results = append(results, result)
		case plan.ID == "notification-list":
			events, _ := result["events"].([]any)
			for _, event := range events {
				results = append(results, map[string]any{"webhook": result, "type": event, "account_id": v1.ID(w.Account).String()})
			}
		default:
			sold := map[string]any{"sale": result, "shipping_address": result["shipping_address"]}
			if len(data) > 1 {
				for _, item := range listed(data[1]) {
					if item["id"] == result["item_id"] {
						sold["item"] = item
					}
				}
			}
			results = append(results, sold)
		}
	}
	return results
}

// listed are the results of a list, or the one object that data is.
func listed(data any) (objects []map[string]any) {
	object, _ := data.(map[string]any)
	list, isList := object["results"].([]any)
	if !isList {
		return []map[string]any{object}
	}
	for _, entry := range list {
		object, _ := entry.(map[string]any)
		objects = append(objects, object)
	}
	return objects
}

// CompareTwin fails the test unless each element of a call's answer, in order, is what its row makes of the results of /v1.
// It returns how many texts it compared. Elements named own, which differ between services, and parts that no step returned
// only have to be present.
func CompareTwin(tb testing.TB, what string, plan *translate.Plan, legacy RestAnswer, results []map[string]any, own ...string) (compared int) {
	tb.Helper()
	path := "Notification_Data/body"
	if plan.Element != "" {
		path += "/" + plan.Element
	}
	elements := legacy.Elements(path)
	if len(elements) != len(results) {
		tb.Errorf("%s: /rest answers %d results, /v1 %d:\n%s", what, len(elements), len(results), legacy.Body)
		return 0
	}
	for i, element := range elements {
		got := element.Children()
		var want [][2]string
		for j := range plan.Out {
			row := &plan.Out[j]
			if row.Dir == translate.In {
				continue
			}
			text, known := legacyText(row, results[i])
			switch {
			case known && !slices.Contains(own, row.Legacy):
				compared++
			case len(want) < len(got):
				text = got[len(want)][1]
			}
			want = append(want, [2]string{row.Legacy, text})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			tb.Errorf("%s, result %d (-by the rows +rest):\n%s", what, i, diff)
		}
	}
	return compared
}

// legacyText is the text that a row makes of a result, if the result has the row's part.
func legacyText(row *translate.Row, result map[string]any) (text string, known bool) {
	if row.V1 == "" {
		return row.Const, true
	}
	first, _, _ := strings.Cut(row.V1, ".")
	if _, known = result[strings.TrimSuffix(first, "[]")]; !known {
		return "", false
	}
	values := []any{result}
	for name := range strings.SplitSeq(row.V1, ".") {
		var next []any
		for _, value := range values {
			object, _ := value.(map[string]any)
			member := object[strings.TrimSuffix(name, "[]")]
			if list, ok := member.([]any); ok && strings.HasSuffix(name, "[]") {
				next = append(next, list...)
			} else {
				next = append(next, member)
			}
		}
		values = next
	}
	texts := make([]string, len(values))
	for i, value := range values {
		if value != nil {
			texts[i] = fmt.Sprint(value)
		}
	}
	text = strings.Join(texts, "\x1f") // no value contains it; converters of lists split there
	if row.Convert != nil && slices.ContainsFunc(values, func(value any) bool { return value != nil }) {
		text = string(row.Convert.AppendLegacy(nil, []byte(text)))
	}
	if text == "" {
		text = row.Default
	}
	return text, true
}
