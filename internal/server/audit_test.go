package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

func TestEveryCallOfTheOperatorIsAudited(t *testing.T) {
	w, s, log := logged(t)
	item, account := w.List(t, servertest.FixedPrice()), v1.ID(w.Account).String()
	number := float64(w.Account)
	const (
		token    = servertest.OperatorToken
		personal = `{"buyer":{"nickname":"carl","email":"carl@example.org","phone":"+3225550123","country":"BE","address":{"line1":"Kerkstraat 7","country":"BE"}}}`
	)
	for _, test := range []struct {
		name, method, path, token, body string
		op, object                      string
		account                         float64
		status                          float64
	}{
		{"a purchase", "POST", "/operator/items/" + item + "/purchases", token, personal, "OperatorPurchase", item, number, 200},
		{"a refused purchase", "POST", "/operator/items/" + item + "/purchases", token, personal, "OperatorPurchase", item, number, 409},
		{"visits", "POST", "/operator/items/" + item + "/visits", token, `{"count":3}`, "OperatorVisits", item, number, 200},
		{"a shipping model taken away", "DELETE", "/operator/accounts/" + account + "/shipping-models/4001", token, "", "OperatorRemoveShippingModel", "4001", number, 200},
		{
			"a shipping model that is wrong", "POST", "/operator/accounts/" + account + "/shipping-models", token, `{"name":"carl@example.org"}`,
			"OperatorCreateShippingModel", account, number, 422,
		},
		{"a call without a token", "POST", "/operator/items/" + item + "/end", "", "", "OperatorEnd", item, 0, 401},
		{"a call with a wrong token", "POST", "/operator/items/" + item + "/end", "guessed-by-a-caller", "", "OperatorEnd", item, 0, 401},
		{"a new account", "POST", "/operator/accounts", token, `{"nickname":"bruno","email":"carl@example.org"}`, "OperatorCreateAccount", "", number + 1, 201},
		{"a new key", "POST", "/operator/accounts/" + account + "/keys", token, `{"mode":"live"}`, "OperatorCreateKey", account, number, 201},
		{"a key in the wrong place", "DELETE", "/operator/keys/" + w.LiveKey, token, "", "OperatorRevokeKey", "", 0, 404},
		{"a revoked key", "DELETE", "/operator/keys/" + strings.Split(w.LiveKey, "_")[2], token, "", "OperatorRevokeKey", strings.Split(w.LiveKey, "_")[2], number, 200},
		{"a webhook that is not there", "PUT", "/operator/webhooks/wh_b7/status", token, `{"status":"paused"}`, "OperatorSetWebhookStatus", "wh_b7", 0, 404},
		{"a path that is not there", "GET", "/operator/carl@example.org", token, "", "unknown", "", 0, 404},
		{"a page of an account", "GET", "/operator/pages/accounts/" + account, token, "", "/operator/pages/accounts/{id}", account, number, 200},
		{"a page with a wrong token", "GET", "/operator/", "guessed-by-a-caller", "", "/operator/", "", 0, 401},
		{"a page that is not there", "GET", "/operator/pages/carl@example.org", token, "", "/operator/pages/{unknown...}", "", 0, 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			log.Reset()
			r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
			r.Header.Set("X-Request-Id", "the-operators-request")
			if test.body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			if test.token != "" {
				r.Header.Set("Authorization", "Bearer "+test.token)
			}
			answer := httptest.NewRecorder()
			s.Operator.ServeHTTP(answer, r)

			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			if len(lines) != 2 {
				t.Fatalf("want the request's line and the audit's, got %q", lines)
			}
			want := []map[string]any{
				{
					"level": "INFO", "msg": "request", "account": test.account, "op": test.op, "method": test.method, "status": test.status,
					"ms": 0.0, "stack": "operator", "request_id": "the-operators-request",
				},
				{
					"level": "INFO", "msg": "operator", "account": test.account, "op": test.op, "object": test.object, "status": test.status,
					"request_id": "the-operators-request",
				},
			}
			got := make([]map[string]any, 2)
			for i, line := range lines {
				if err := json.Unmarshal([]byte(line), &got[i]); err != nil {
					t.Fatal(err)
				}
				delete(got[i], "time")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s\n%s", diff, answer.Body)
			}
			for _, secret := range []string{token, "guessed-by", "carl", "example.org", "+322555", "Kerkstraat", "dk_live_"} {
				if strings.Contains(log.String(), secret) {
					t.Errorf("the log holds %q: %s", secret, log)
				}
			}
		})
	}
}

func TestMetricsNeedNoAudit(t *testing.T) {
	_, s, log := logged(t)
	if got := get(s.Operator, "/metrics"); got.Code != http.StatusOK {
		t.Errorf("metrics: %d", got.Code)
	}
	if strings.Contains(log.String(), `"msg":"operator"`) || !strings.Contains(log.String(), `"stack":"operator"`) {
		t.Errorf("log: %s", log)
	}
}

func TestAKeyThatChangesItselfIsAudited(t *testing.T) {
	w, s, log := logged(t)
	key := w.NewKey(t, w.Account, "test")
	reader := w.LesserKey(t, v1.ReadPermissions)
	id := func(key string) string { return strings.Split(key, "_")[2] }
	var successor string
	for _, test := range []struct {
		name, method, path, key, body string
		op                            string
		status                        float64
		audited                       bool
	}{
		{"a rotation", "POST", "/v1/account/keys/current/rotate", key, "", "RotateKey", 201, true},
		{"a refused rotation", "POST", "/v1/account/keys/current/rotate", key, `{"overlap_seconds":-1}`, "RotateKey", 422, true},
		{"a revocation", "DELETE", "/v1/account/keys/current", key, "", "RevokeKey", 200, true},
		{"a key that may not", "DELETE", "/v1/account/keys/current", reader, "", "RevokeKey", 403, true},
		{"a list", "GET", "/v1/account/keys", w.Key, "", "BrowseKeys", 200, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			log.Reset()
			r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
			r.Header.Set("X-Request-Id", "the-sellers-request")
			r.Header.Set("X-Api-Key", test.key)
			r.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			s.Public.ServeHTTP(answer, r)
			object := ""
			if test.status == 201 {
				var made struct {
					Data struct{ ID, Key string }
				}
				if err := json.Unmarshal(answer.Body.Bytes(), &made); err != nil {
					t.Fatal(err)
				}
				object, successor = made.Data.ID, made.Data.Key
			}
			want := []map[string]any{{
				"level": "INFO", "msg": "request", "account": float64(w.Account), "key": id(test.key), "op": test.op, "method": test.method,
				"status": test.status, "ms": 0.0, "stack": "v1", "request_id": "the-sellers-request",
			}}
			if test.audited {
				want = append(want, map[string]any{
					"level": "INFO", "msg": "key", "account": float64(w.Account), "key": id(test.key), "op": test.op, "object": object, "status": test.status,
					"request_id": "the-sellers-request",
				})
			}
			var got []map[string]any
			for line := range strings.Lines(log.String()) {
				var one map[string]any
				if err := json.Unmarshal([]byte(line), &one); err != nil {
					t.Fatal(err)
				}
				delete(one, "time")
				got = append(got, one)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s\n%s", diff, answer.Body)
			}
			for _, secret := range []string{"dk_test_", strings.Split(key, "_")[3], strings.Split(successor, "_")[3]} {
				if strings.Contains(log.String(), secret) {
					t.Errorf("the log holds %q: %s", secret, log)
				}
			}
		})
	}
}
