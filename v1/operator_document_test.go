package v1_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/openapitest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/accounts"
	"sellerd/v1/openapi"
	"sellerd/v1/trade"
)

func TestTheDocumentOfTheOperatorAPIHasTheRoutesOfItsRouter(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	handler := w.Service.OperatorHandler(v1.OperatorDoor{Token: servertest.OperatorToken})
	patterns := map[string]bool{}
	for _, o := range v1.OperatorOperations { // the router is made of this table alone
		patterns[o.Pattern] = true
	}
	var routed, described []string
	for pattern := range patterns {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodOptions, pattern, nil))
		for method := range strings.SplitSeq(answer.Header().Get("Allow"), ", ") {
			if method != http.MethodHead && method != http.MethodOptions {
				routed = append(routed, method+" "+pattern)
			}
		}
	}
	for path, item := range openapitest.Load(t, openapi.OperatorDocument).Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	slices.Sort(routed)
	slices.Sort(described)
	if diff := cmp.Diff(routed, described); diff != "" || len(routed) != len(v1.OperatorOperations) {
		t.Errorf("%d routes for %d operations (-router +document):\n%s", len(routed), len(v1.OperatorOperations), diff)
	}
}

func TestTheDocumentOfTheOperatorAPIIsValidAndSaysWhatEachOperationDoes(t *testing.T) {
	document := openapitest.Load(t, openapi.OperatorDocument)
	err := document.Validate(t.Context(), openapi3.IsOpenAPI31OrLater(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation())
	if err != nil {
		t.Errorf("validate: %v", err)
	}
	text := string(openapi.OperatorDocument("/"))
	if text != string(openapi.OperatorDocument("/")) {
		t.Error("the same document is not made twice")
	}
	for _, foreign := range []string{"x-since", "x-enum-since", `"X-RateLimit-Limit"`, `"ApiKey"`, "service-desc"} {
		if strings.Contains(text, foreign) {
			t.Errorf("it has %s, which only the document of /v1 has", foreign)
		}
	}
	for _, o := range v1.OperatorOperations {
		if !strings.HasSuffix(o.Doc, ".") {
			t.Errorf("the line of %s in the table says nothing about it: %q", o.Name, o.Doc)
		}
	}
}

// TestEveryOperationOfTheOperatorAnswersAsDescribed has each of them succeed. DoOperator compares the requests and the answers with
// the document.
func TestEveryOperationOfTheOperatorAnswersAsDescribed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var answered []*v1.Operation
		do := func(o *v1.Operation, path string, body any) object {
			t.Helper()
			r := w.DoOperator(t, servertest.Request{Method: o.Method, Path: path, Body: body})
			if r.Status >= 300 {
				t.Fatalf("%s: %d %s", o.Name, r.Status, r.Body)
			}
			answered = append(answered, o)
			if o.Tagged {
				same := w.DoOperator(t, servertest.Request{Path: path, Header: map[string]string{"If-None-Match": r.Header.Get("ETag")}})
				if same.Status != http.StatusNotModified {
					t.Errorf("%s with its tag: %d", o.Name, same.Status)
				}
			}
			return servertest.Into[object](t, r)
		}
		fixed, auction := w.List(t, servertest.FixedPrice(object{"quantity": 3})), w.List(t, servertest.Auction())
		buyer := object{"nickname": "carl", "country": "BE", "address": object{"line1": "Kerkstraat 7", "country": "BE"}}

		made := do(v1.OperatorCreateAccount.Operation, "/operator/accounts", object{"nickname": "bruno", "email": "bruno@example.com", "store": object{"plan": "gold"}})
		account := "/operator/accounts/" + made["id"].(string)
		do(v1.OperatorUpdateAccount.Operation, account, object{"limits": object{"open_items": 7}, "rating": object{"count": 3, "percentage": 99.5}})
		do(v1.OperatorBrowseAccounts.Operation, "/operator/accounts?nickname=BRUNO&status=active&limit=1", nil)
		key := do(v1.OperatorCreateKey.Operation, account+"/keys", object{"mode": "test", "name": "tests", "permissions": []string{"items:read"}})
		do(accounts.OperatorBrowseKeys.Operation, account+"/keys", nil)
		do(accounts.OperatorGetKey.Operation, "/operator/keys/"+key["id"].(string), nil)
		do(v1.OperatorRevokeKey.Operation, "/operator/keys/"+key["id"].(string), nil)
		model := do(accounts.OperatorCreateShippingModel.Operation, account+"/shipping-models", inMode("test", fixedModel(nil)))["id"].(string)
		do(accounts.OperatorReplaceShippingModel.Operation, account+"/shipping-models/"+model, fixedModel(nil))
		do(accounts.OperatorRemoveShippingModel.Operation, account+"/shipping-models/"+model, nil)

		do(v1.OperatorBid.Operation, "/operator/items/"+auction+"/bids", object{"buyer": buyer, "amount": object{"amount": "12.00", "currency": "EUR"}})
		do(v1.OperatorEnd.Operation, "/operator/items/"+auction+"/end", nil)
		do(trade.OperatorMove.Operation, "/operator/items/"+fixed+"/move", object{"category_id": servertest.Category})
		do(trade.OperatorVisits.Operation, "/operator/items/"+fixed+"/visits", object{"count": 3})
		sale := do(v1.OperatorPurchase.Operation, "/operator/items/"+fixed+"/purchases", object{"buyer": buyer, "quantity": 2})
		bill := "/operator/bills/" + sale["bill_id"].(string)
		do(v1.OperatorInvoice.Operation, bill+"/invoice", object{"shipping_cost": object{"amount": "4.50", "currency": "EUR"}})
		do(v1.OperatorPayment.Operation, bill+"/payment", nil)
		do(v1.OperatorCancellation.Operation, "/operator/sales/"+sale["id"].(string)+"/cancellation", object{"decision": "request", "reason": "broken"})
		do(accounts.OperatorGetAccount.Operation, "/operator/accounts/"+accountID(w), nil)

		hook := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "https://example.com/hook"}}))["id"].(string)
		do(v1.OperatorSetWebhookStatus.Operation, "/operator/webhooks/"+hook+"/status", object{"status": "paused"})
		useOldInterface(t, w, account, do)
		do(v1.OperatorBrowseAudit.Operation, "/operator/audit?account_id="+made["id"].(string), nil)

		for _, o := range v1.OperatorOperations {
			if !slices.Contains(answered, o) {
				t.Errorf("the test knows no request that %s follows", o.Name)
			}
			if n := len(changesBy(t, w, "operator=token&action="+o.Name)); (n > 0) == (o.Method == http.MethodGet) {
				t.Errorf("the audit log has %d changes by %s", n, o.Name)
			}
		}
	})
}
