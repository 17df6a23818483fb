package servertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWhatIsNotDescribedIsNoticed(t *testing.T) {
	w := New(t, SQLite(t))
	ask := func(method, path, body string) exchange {
		_, e := w.send(t, w.Server.Public, Request{Method: method, Path: path, Body: body}, "X-Api-Key", w.Key)
		return e
	}
	read := func() exchange { return ask(http.MethodGet, "/v1/account/limits", "") }
	change := func(e exchange, old, with string) exchange {
		if !strings.Contains(e.answer.Body, old) {
			t.Fatalf("%s is not in %s", old, e.answer.Body)
		}
		e.answer.Body = strings.Replace(e.answer.Body, old, with, 1)
		return e
	}
	for name, test := range map[string]struct {
		exchange func() exchange
		want     string // in the problem, "" when there is none
	}{
		"an answer as described":         {read, ""},
		"a refusal as described":         {func() exchange { return ask(http.MethodGet, "/v1/items?x=1", "") }, ""},
		"a HEAD as described":            {func() exchange { return ask(http.MethodHead, "/v1/items", "") }, ""},
		"a path that is not there":       {func() exchange { return ask(http.MethodGet, "/v1/nothing", "") }, ""},
		"a method that is not":           {func() exchange { return ask(http.MethodPut, "/v1/items", "") }, ""},
		"an undocumented member":         {func() exchange { return change(read(), `"data":{`, `"data":{"extra":1,`) }, "extra"},
		"a missing member":               {func() exchange { return change(read(), `"batch_items":100,`, ``) }, "batch_items"},
		"a null that cannot be":          {func() exchange { return change(read(), `"batch_items":100`, `"batch_items":null`) }, "null"},
		"another type":                   {func() exchange { return change(read(), `"batch_items":100`, `"batch_items":"100"`) }, "string"},
		"another status in the envelope": {func() exchange { return change(read(), `"status_code":200`, `"status_code":201`) }, "200"},
		"a code that the operation does not know": {func() exchange {
			return change(ask(http.MethodGet, "/v1/items?x=1", ""), `"unknown_parameter"`, `"empty_patch"`)
		}, "invalid_parameter"},
		"an undocumented status": {func() exchange {
			e := read()
			e.answer.Status = http.StatusConflict
			return e
		}, "the status is not described"},
		"an undocumented header": {func() exchange {
			e := read()
			e.answer.Header.Set("X-Extra", "1")
			return e
		}, "X-Extra is not described"},
		"a missing header": {func() exchange {
			e := read()
			e.answer.Header.Del("X-Request-Id")
			return e
		}, "X-Request-Id is missing"},
		"a header with a wrong value": {func() exchange {
			e := read()
			e.answer.Header.Set("Cache-Control", "public")
			return e
		}, "Cache-Control"},
		"a parameter that was read and is not described": {func() exchange {
			e := read()
			e.request = httptest.NewRequest(http.MethodGet, "/v1/account/limits?verbose=true", nil)
			return e
		}, "verbose is not described"},
		"a body that was accepted and is not described": {func() exchange {
			e := ask(http.MethodPost, "/v1/items?validate_only=true", `{"title":"Lot","category_id":"`+Category+`","sale_type":"fixed_price","price":{"amount":"1.00","currency":"EUR"}}`)
			e.sent = strings.Replace(e.sent, `"title"`, `"titel"`, 1)
			return e
		}, "titel"},
	} {
		t.Run(name, func(t *testing.T) {
			e := test.exchange()
			problems := texts(described().findings(e))
			if (problems == "") != (test.want == "") || !strings.Contains(problems, test.want) {
				t.Errorf("want %q, got %q", test.want, problems)
			}
		})
	}
}

func TestWhatIsNotDescribedOfTheOperatorAPIIsNoticed(t *testing.T) {
	w := New(t, SQLite(t))
	ask := func(path, key string) exchange {
		_, e := w.send(t, w.Server.Operator, Request{Path: path, Key: key}, "Authorization", "Bearer "+key)
		return e
	}
	for name, test := range map[string]struct {
		path, key, old, with string
		want                 string // in the problem, "" when there is none
	}{
		"an answer as described":           {"/operator/accounts", OperatorToken, "", "", ""},
		"a refusal as described":           {"/operator/accounts", "guessed-by-a-caller", "", "", ""},
		"an account that is not there":     {"/operator/accounts/99", OperatorToken, "", "", ""},
		"a path that is not there":         {"/operator/nothing", OperatorToken, "", "", ""},
		"an undocumented member":           {"/operator/accounts", OperatorToken, `"nickname":`, `"nick":1,"nickname":`, "nick"},
		"a value that is not listed":       {"/operator/accounts", OperatorToken, `"status":"active"`, `"status":"closed"`, "active"},
		"a code that no operation answers": {"/operator/accounts", "guessed-by-a-caller", `"invalid_api_key"`, `"account_suspended"`, "invalid_api_key"},
		"an account that lacks a member":   {"/operator/accounts", OperatorToken, `"email":"anna@example.com",`, ``, "email"},
		"another status in the envelope":   {"/operator/accounts", OperatorToken, `"status_code":200`, `"status_code":202`, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			e := ask(test.path, test.key)
			if !strings.Contains(e.answer.Body, test.old) {
				t.Fatalf("%s is not in %s", test.old, e.answer.Body)
			}
			e.answer.Body = strings.Replace(e.answer.Body, test.old, test.with, 1)
			problems := texts(operatorDescribed().findings(e))
			if (problems == "") != (test.want == "") || !strings.Contains(problems, test.want) {
				t.Errorf("want %q, got %q", test.want, problems)
			}
		})
	}
}

// texts are what findings say, one a line.
func texts(findings []Finding) string {
	var lines []string
	for _, found := range findings {
		lines = append(lines, found.Text)
	}
	return strings.Join(lines, "\n")
}
