package v1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/trade"
)

// runBound runs an operation without HTTP: what it answers, or the codes and fields of its refusal.
func runBound(t *testing.T, w *servertest.World, o *v1.Operation, path map[string]string, query, body string) (string, []string) {
	t.Helper()
	ctx := context.Background()
	caller, err := w.Service.Authenticate(ctx, w.Key)
	if err != nil {
		t.Fatalf("authenticate: %v", err)
	}
	c := &v1.Call{Caller: caller, Request: v1.Request{Language: "en"}}
	in, err := o.Bind(c, path, query, []byte(body))
	var out any
	if err == nil {
		out, err = o.Run(ctx, w.Service, c, in)
	}
	if err == nil {
		return string(v1.EncodeJSON(nil, out)), []string{}
	}
	codes := []string{}
	for _, e := range w.Service.Refusal(ctx, err) {
		codes = append(codes, strings.TrimSpace(string(e.Code)+" "+e.Field))
	}
	return "", codes
}

func TestAnOperationIsBoundAsHTTPBindsIt(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item := w.List(t, servertest.FixedPrice())
	for _, test := range []struct {
		name      string
		operation *v1.Operation
		id        string
		query     string
		body      string
	}{
		{"an item is read", v1.GetItem.Operation, item, "", ""},
		{"a page is read", v1.BrowseItems.Operation, "", "limit=1&status=open,sold&sale_type=fixed_price", ""},
		{"a body is merged", v1.UpdateItem.Operation, item, "", `{"title":"Another"}`},
		{"an optional body may be absent", v1.CloseItem.Operation, w.List(t, servertest.FixedPrice()), "", ""},
		{"a path value that is no id", v1.GetItem.Operation, "abc", "", ""},
		{"a path value that is no id, before everything else", v1.UpdateItem.Operation, "abc", "%zz", "{"},
		{"a path value that is absent", trade.GetSale.Operation, "", "", ""},
		{"an item that is not there", v1.GetItem.Operation, "5", "", ""},
		{"a query that is not well-formed", v1.BrowseItems.Operation, "", "status=%zz", ""},
		{"everything wrong with a query", v1.BrowseItems.Operation, "", "limit=0&status=lost&colour=red&id=x", ""},
		{"a body that is no JSON", v1.SubmitItem.Operation, "", "", `{"title"`},
		{"a body that is absent", v1.SubmitItem.Operation, "", "", ""},
		{"a body that is no object", v1.SubmitItem.Operation, "", "", `[]`},
		{"a body where none belongs", v1.TestWebhook.Operation, "wh_1", "", `{"x":1}`},
		{"everything wrong with body and query", v1.SubmitItem.Operation, "", "verbose=1", `{"title":5,"price":{"amount":"x","currency":"EUR"},"colour":"red"}`},
		{"a body that is too large", v1.SubmitItem.Operation, "", "", `{"title":"` + strings.Repeat("x", 2<<20) + `"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			data, codes := runBound(t, w, test.operation, map[string]string{"id": test.id}, test.query, test.body)
			request := servertest.Request{Method: test.operation.Method, Path: strings.Replace(test.operation.Pattern, "{id}", test.id, 1)}
			if test.query != "" {
				request.Path += "?" + test.query
			}
			if test.body != "" {
				request.Body = test.body
			}
			if data != "" && request.Method != http.MethodGet { // what is done cannot be done again, and is seen
				request = servertest.Request{Path: "/v1/items/" + test.id}
			}
			if test.id == "" && test.operation == trade.GetSale.Operation { // no path has this pattern
				if diff := cmp.Diff([]string{"sale_not_found"}, codes); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
				return
			}
			got := w.Do(t, request)
			if diff := cmp.Diff(got.Codes(), codes); diff != "" {
				t.Errorf("codes (-HTTP +bound):\n%s", diff)
			}
			if diff := cmp.Diff(string(got.Data), data); diff != "" {
				t.Errorf("data (-HTTP +bound):\n%s", diff)
			}
		})
	}
}

func TestEveryErrorBecomesARefusal(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	var slow v1.Errors
	for slow == nil { // the address has no attempt left
		errors.As(w.Service.ChargeAddress(context.Background(), "192.0.2.1"), &slow)
	}
	type refusal struct {
		Status, RetryAfter int
		Code               v1.Code
		Message            string
		Caused             bool
	}
	internal := refusal{500, 0, v1.InternalError, "Something failed on our side.", true}
	unavailable := refusal{503, 1, v1.ServiceUnavailable, "The service cannot answer just now.", true}
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, test := range []struct {
		name string
		err  error
		want refusal
	}{
		{"ours is itself", slow, refusal{429, 3, v1.RateLimited, "Too many wrong keys from this address. A valid key is still accepted.", false}},
		{"ours inside another is itself", fmt.Errorf("while: %w", slow), refusal{
			429, 3, v1.RateLimited,
			"Too many wrong keys from this address. A valid key is still accepted.", false,
		}},
		{"too little time", fmt.Errorf("load: %w", context.DeadlineExceeded), unavailable},
		{"a caller who went", context.Canceled, unavailable},
		{"an unexpected error is never shown", errors.New("disk /dev/sda1 is on fire"), internal},
	} {
		t.Run(test.name, func(t *testing.T) {
			trace := &v1.Trace{}
			got := w.Service.Refusal(v1.WithTrace(context.Background(), trace), test.err)
			seen := refusal{got.Status(), got.RetryAfterSeconds(), got[0].Code, got[0].Message, trace.Cause == test.err && trace.Cause != nil}
			if diff := cmp.Diff(test.want, seen); diff != "" || len(got) != 1 {
				t.Errorf("refusal (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("what is cut short for a caller who has gone is no failure", func(t *testing.T) {
		trace := &v1.Trace{}
		got := w.Service.Refusal(v1.WithTrace(gone, trace), fmt.Errorf("load: %w", context.Canceled))
		if got[0].Code != v1.ServiceUnavailable || trace.Cause != nil {
			t.Errorf("%v, because of %v", got, trace.Cause)
		}
	})
	t.Run("what fails beside it is one all the same", func(t *testing.T) {
		trace := &v1.Trace{}
		got := w.Service.Refusal(v1.WithTrace(gone, trace), errors.New("disk /dev/sda1 is on fire"))
		if got[0].Code != v1.InternalError || trace.Cause == nil {
			t.Errorf("%v, because of %v", got, trace.Cause)
		}
	})
	t.Run("a wait is given in whole seconds, rounded up", func(t *testing.T) {
		w.Clock.Advance(500 * time.Millisecond)
		errors.As(w.Service.ChargeAddress(context.Background(), "192.0.2.1"), &slow)
		if slow.RetryAfter() != 2500*time.Millisecond || slow.RetryAfterSeconds() != 3 || slow.Status() != http.StatusTooManyRequests {
			t.Errorf("%v, %d s", slow.RetryAfter(), slow.RetryAfterSeconds())
		}
	})
}
