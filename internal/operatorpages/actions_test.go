package operatorpages_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// send sends a form as a browser does that shows a page of the server.
func send(w *servertest.World, token, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.SetBasicAuth("anybody", token)
	answer := httptest.NewRecorder()
	w.Server.Operator.ServeHTTP(answer, r)
	return answer
}

// office is a world with an operator of each role, and a webhook.
type office struct {
	*servertest.World
	tokens  map[string]string
	webhook string
}

func newOffice(t *testing.T, w *servertest.World) *office {
	t.Helper()
	o := &office{w, map[string]string{}, ""}
	for _, role := range []string{"read", "support", "admin"} {
		token, _, err := w.Service.CreateOperator(t.Context(), role+"er", role, true)
		if err != nil {
			t.Fatal(err)
		}
		o.tokens[role] = token
	}
	hook := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": "https://example.com/hook"}})
	o.webhook = servertest.Into[map[string]any](t, hook)["id"].(string)
	return o
}

// forms are the forms of the pages: their addresses, what is typed, the role that each needs, and the operation that runs.
func (o *office) forms() []struct {
	path string
	form url.Values
	role v1.OperatorRole
	op   string
} {
	account := accountPath(o.World)
	return []struct {
		path string
		form url.Values
		role v1.OperatorRole
		op   string
	}{
		{account + "/status", url.Values{"status": {"suspended"}}, v1.SupportRole, "OperatorUpdateAccount"},
		{account + "/status", url.Values{"status": {"active"}}, v1.SupportRole, "OperatorUpdateAccount"},
		{account + "/limits", url.Values{"requests_per_minute": {""}, "open_items": {"7"}, "new_items_per_day": {"0"}}, v1.SupportRole, "OperatorUpdateAccount"},
		{account + "/webhooks/" + o.webhook + "/status", url.Values{"status": {"paused"}}, v1.SupportRole, "OperatorSetWebhookStatus"},
		{account + "/webhooks/" + o.webhook + "/status", url.Values{"status": {"active"}}, v1.SupportRole, "OperatorSetWebhookStatus"},
		{account + "/keys", url.Values{"mode": {"live"}, "name": {"shop"}, "permissions": {"read"}}, v1.AdminRole, "OperatorCreateKey"},
		{account + "/keys/" + strings.Split(o.LiveKey, "_")[2] + "/revoke", nil, v1.SupportRole, "OperatorRevokeKey"},
		{"/operator/pages/accounts", url.Values{"nickname": {"bruno"}, "email": {"b@example.com"}, "country": {"BE"}}, v1.AdminRole, "OperatorCreateAccount"},
		{"/operator/pages/legacy-usage/drills", url.Values{"from": {"2026-12-21T12:00"}, "to": {"2026-12-21T13:00"}}, v1.AdminRole, "OperatorCreateLegacyDrill"},
	}
}

func TestFormsDoWhatTheirOperationsDo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		o := newOffice(t, w)
		for _, f := range o.forms() {
			answer := send(w, o.tokens["admin"], f.path, f.form)
			if want := http.StatusSeeOther; answer.Code != want && !(f.op == "OperatorCreateKey" && answer.Code == 200) {
				t.Errorf("%s: %d %s", f.path, answer.Code, answer.Body)
			}
			if to := answer.Header().Get("Location"); to != "" {
				shown(t, w, to)
			}
			last := lastChange(t, w)
			if last.Operator != "adminer" || last.Action != f.op || !last.RequestID.Set {
				t.Errorf("%s is audited as %s %s", f.path, last.Operator, last.Action)
			}
		}
		drills := w.Service.AnnouncedDrills(t.Context())
		if len(drills) != 1 {
			t.Fatalf("%d drills", len(drills))
		}
		if answer := send(w, o.tokens["admin"], "/operator/pages/legacy-usage/drills/"+drills[0].ID.String()+"/call-off", nil); answer.Code != http.StatusSeeOther {
			t.Errorf("call off: %d %s", answer.Code, answer.Body)
		}
		account, err := w.Service.AccountOverview(t.Context(), w.Account)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v1.LimitSettings{OpenItems: v1.Some(7), NewItemsPerDay: v1.Some(0)}, account.Limits); diff != "" {
			t.Errorf("limits (-want +got):\n%s", diff)
		}
	})
}

// lastChange is the newest row of the audit log.
func lastChange(t *testing.T, w *servertest.World) (last v1.AuditedChange) {
	t.Helper()
	found := false
	err := w.Service.EachAuditedChange(t.Context(), v1.AuditFilter{}, func(c *v1.AuditedChange) error {
		if !found {
			last, found = *c, true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

func TestANewKeyIsShownOnce(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	answer := send(w, servertest.OperatorToken, accountPath(w)+"/keys", url.Values{"mode": {"test"}})
	body := answer.Body.String()
	at := strings.Index(body, "dk_test_")
	if answer.Code != 200 || at < 0 || answer.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", answer.Code, body)
	}
	key := body[at : at+strings.Index(body[at:], "<")]
	if got := w.Do(t, servertest.Request{Path: "/v1/account", Key: key}); got.Status != 200 {
		t.Errorf("the key: %d", got.Status)
	}
	if later := open(t, w, accountPath(w)).Body.String(); strings.Contains(later, key) {
		t.Error("it is shown again")
	}
}

func TestFormsNeedTheRoleOfTheirOperation(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	o := newOffice(t, w)
	for _, f := range o.forms() {
		for name, role := range map[string]v1.OperatorRole{"read": v1.ReadRole, "support": v1.SupportRole} {
			if role >= f.role {
				continue
			}
			before := lastChange(t, w)
			if answer := send(w, o.tokens[name], f.path, f.form); answer.Code != http.StatusForbidden {
				t.Errorf("%s as %s: %d", f.path, name, answer.Code)
			}
			if diff := cmp.Diff(before, lastChange(t, w)); diff != "" {
				t.Errorf("%s as %s changed something:\n%s", f.path, name, diff)
			}
		}
	}
	r := httptest.NewRequest(http.MethodGet, accountPath(w), nil)
	r.SetBasicAuth("x", o.tokens["read"])
	answer := httptest.NewRecorder()
	w.Server.Operator.ServeHTTP(answer, r)
	if strings.Contains(answer.Body.String(), `method="post"`) {
		t.Error("who only reads is shown forms")
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, header := range map[string][2]string{
		"another site":         {"Sec-Fetch-Site", "cross-site"},
		"another part of it":   {"Sec-Fetch-Site", "same-site"},
		"another origin":       {"Origin", "https://evil.example"},
		"an origin that hides": {"Origin", "null"},
		"no word of it":        {"X-Nothing", ""},
	} {
		r := httptest.NewRequest(http.MethodPost, accountPath(w)+"/status", strings.NewReader("status=suspended"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(header[0], header[1])
		r.SetBasicAuth("anybody", servertest.OperatorToken)
		answer := httptest.NewRecorder()
		w.Server.Operator.ServeHTTP(answer, r)
		if answer.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, answer.Code)
		}
	}
	if account, err := w.Service.AccountOverview(t.Context(), w.Account); err != nil || account.Status != "active" {
		t.Errorf("the account is %s, %v", account.Status, err)
	}
}

func TestTheLogHasTheIdOfAFormAndNoOtherText(t *testing.T) {
	log := &servertest.Log{}
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.Logger = slog.New(slog.NewJSONHandler(log, nil)) })
	account := v1.ID(w.Account).String()
	for _, path := range []string{account + "/status", w.LiveKey + "/status", account + "/keys/" + w.LiveKey + "/revoke"} {
		send(w, servertest.OperatorToken, "/operator/pages/accounts/"+path, url.Values{"status": {"active"}})
	}
	if said := log.String(); strings.Contains(said, w.LiveKey) || !strings.Contains(said, `"object":"`+account+`"`) {
		t.Errorf("the log: %s", said)
	}
}

func TestARefusedFormIsShownAgainWithItsProblems(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, test := range map[string]struct {
		path string
		form url.Values
		want []string
	}{
		"a limit that is no number": {accountPath(w) + "/limits", url.Values{"open_items": {"many"}}, []string{`value="many"`, `id="limits-open_items-problem"`}},
		"a limit below zero":        {accountPath(w) + "/limits", url.Values{"open_items": {"-1"}}, []string{`value="-1"`, `id="limits-open_items-problem"`}},
		"a name that is taken": {
			"/operator/pages/accounts", url.Values{"nickname": {"anna"}, "email": {"a@example.com"}}, []string{`value="anna"`, `id="create-nickname-problem"`},
		},
		"no address": {"/operator/pages/accounts", url.Values{"nickname": {"bruno"}}, []string{`value="bruno"`, `id="create-email-problem"`}},
		"a drill at once": {
			"/operator/pages/legacy-usage/drills",
			url.Values{"from": {"2026-11-21T13:00"}, "to": {"2026-11-21T14:00"}},
			[]string{`id="drill-from-problem"`},
		},
		"a key of a long name": {
			accountPath(w) + "/keys",
			url.Values{"mode": {"live"}, "name": {strings.Repeat("x", 65)}, "permissions": {"read"}},
			[]string{`id="key-name-problem"`, `<option selected>live`, `<option value="read" selected>`},
		},
	} {
		answer := send(w, servertest.OperatorToken, test.path, test.form)
		body := answer.Body.String()
		if answer.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", name, answer.Code, body)
		}
		for _, part := range test.want {
			if !strings.Contains(body, part) {
				t.Errorf("%s: there is no %s in %s", name, part, body)
			}
		}
	}
}

func TestTheOverviewShowsTheWorstWebhooks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
		defer receiver.Close()
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL}})
		w.List(t, servertest.FixedPrice())
		if _, err := w.Service.DeliverOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := [][]string{{v1.ID(w.Account).String() + " , test", receiver.URL, "1", "21 Nov 2026, 12:00:00", "answered 502 (http_status)"}}
		if diff := cmp.Diff(want, rows(t, shown(t, w, "/operator/"), 1)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
