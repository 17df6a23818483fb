package v1_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/openapi"
	"sellerd/v1/operators"
)

// newOperator makes an operator and returns the token.
func newOperator(t *testing.T, w *servertest.World, name, role string) string {
	t.Helper()
	token, _, err := w.Service.CreateOperator(context.Background(), name, role, true)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// rolesOfOperations is what each role may do beyond the role before it.
var rolesOfOperations = map[string]v1.OperatorRole{
	"OperatorBrowseAccounts": v1.ReadRole, "OperatorGetAccount": v1.ReadRole, "OperatorBrowseKeys": v1.ReadRole, "OperatorGetKey": v1.ReadRole,
	"OperatorBrowseAudit": v1.ReadRole, "OperatorLegacyUsage": v1.ReadRole, "OperatorBrowseLegacyDrills": v1.ReadRole, "OperatorGetLegacyDrill": v1.ReadRole,

	"OperatorUpdateAccount": v1.SupportRole, "OperatorRevokeKey": v1.SupportRole, "OperatorSetWebhookStatus": v1.SupportRole,

	"OperatorCreateAccount": v1.AdminRole, "OperatorCreateKey": v1.AdminRole, "OperatorImportLegacyKey": v1.AdminRole,
	"OperatorCreateShippingModel": v1.AdminRole, "OperatorReplaceShippingModel": v1.AdminRole, "OperatorRemoveShippingModel": v1.AdminRole,
	"OperatorCreateLegacyDrill": v1.AdminRole, "OperatorDeleteLegacyDrill": v1.AdminRole,
	"OperatorBid": v1.AdminRole, "OperatorPurchase": v1.AdminRole, "OperatorEnd": v1.AdminRole, "OperatorMove": v1.AdminRole,
	"OperatorVisits": v1.AdminRole, "OperatorInvoice": v1.AdminRole, "OperatorPayment": v1.AdminRole, "OperatorCancellation": v1.AdminRole,
}

var pathValue = regexp.MustCompile(`\{\w+\}`)

// TestEachRoleDoesWhatItMay asks for every operation with every role. What is not there is only looked for once the role suffices.
func TestEachRoleDoesWhatItMay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for role, name := range map[v1.OperatorRole]string{v1.ReadRole: "read", v1.SupportRole: "support", v1.AdminRole: "admin"} {
			token := newOperator(t, w, "has-"+name, name)
			for _, o := range v1.OperatorOperations {
				needed, listed := rolesOfOperations[o.Name]
				if !listed {
					t.Errorf("which role %s needs is not written here", o.Name)
				}
				var body any
				if o.HasBody() {
					body = "{}"
				}
				got := w.DoOperator(t, servertest.Request{Method: o.Method, Path: pathValue.ReplaceAllString(o.Pattern, "99"), Body: body, Key: token})
				want := []string{"permission_denied"}
				if role < needed {
					if diff := cmp.Diff(want, got.Codes()); diff != "" || got.Status != 403 {
						t.Errorf("%s as %s: %d (-want +got):\n%s", o.Name, name, got.Status, diff)
					} else if diff := cmp.Diff(map[string]any{"permission": "operator:" + needed.String()}, got.Errors[0].Details); diff != "" {
						t.Errorf("%s as %s, details (-want +got):\n%s", o.Name, name, diff)
					}
				} else if got.Status == 401 || got.Status == 403 {
					t.Errorf("%s as %s: %d %s", o.Name, name, got.Status, got.Body)
				}
			}
		}
	})
}

func TestTheDocumentSaysWhichRoleAnOperationNeeds(t *testing.T) {
	document := string(openapi.OperatorDocument("/"))
	got := map[string]int{}
	for _, found := range regexp.MustCompile(`"x-role": "(\w+)"`).FindAllStringSubmatch(document, -1) {
		got[found[1]]++
	}
	want := map[string]int{}
	for _, role := range rolesOfOperations {
		want[role.String()]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("roles in the document (-want +got):\n%s", diff)
	}
	if strings.Contains(string(openapi.Document("/")), "x-role") {
		t.Error("the document of /v1 speaks of operators")
	}
}

func TestARevokedOperatorIsRefusedAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		token := newOperator(t, w, "Anna@Example.com", "read")
		ask := func() int { return w.DoOperator(t, servertest.Request{Path: "/operator/accounts", Key: token}).Status }
		if got := ask(); got != 200 {
			t.Fatalf("a new token: %d", got)
		}
		if _, err := w.Service.TouchKeysOnce(ctx); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Service.CreateOperator(ctx, "anna@example.com", "admin", true); err != operators.ErrExists {
			t.Errorf("the same name in small letters: %v", err)
		}
		w.Clock.Advance(time.Minute)
		ended, err := w.Service.RevokeOperator(ctx, "anna@EXAMPLE.com")
		if err != nil {
			t.Fatal(err)
		}
		want := operators.Info{
			Name: "anna@example.com", Role: "read", LastFour: v1.Some(token[len(token)-4:]), Status: "revoked",
			CreatedAt: v1.TimeOf(servertest.Start), RevokedAt: v1.Some(v1.TimeOf(servertest.Start.Add(time.Minute))), LastUsedAt: v1.Some(v1.TimeOf(servertest.Start)),
		}
		if diff := cmp.Diff(want, ended); diff != "" {
			t.Errorf("the revoked operator (-want +got):\n%s", diff)
		}
		if got := ask(); got != 401 {
			t.Errorf("a revoked token: %d", got)
		}
		if _, err := w.Service.RevokeOperator(ctx, "anna@example.com"); err != v1.ErrNoOperator {
			t.Errorf("revoked again: %v", err)
		}
		if again := newOperator(t, w, "anna@example.com", "support"); again == token {
			t.Error("the name has its old token again")
		}
	})
}

func TestTheNamesOfOperators(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, name := range []string{"", "token", "Token", "system", "command:root", "key:dk_live_1", "a b", "a\nb", strings.Repeat("x", 101)} {
		if _, _, err := w.Service.CreateOperator(t.Context(), name, "read", true); err != operators.ErrName {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, _, err := w.Service.CreateOperator(t.Context(), "anna", "owner", true); err != operators.ErrRole {
		t.Errorf("another role: %v", err)
	}
}

func TestATokenIsStoredNowhere(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	token := newOperator(t, w, "anna", "admin")
	w.DoOperator(t, servertest.Request{Path: "/operator/accounts", Body: object{"nickname": "bruno", "email": "b@example.com"}, Key: token})
	for table, rows := range w.Dump(t, nil) {
		if slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, token[:40]) }) {
			t.Errorf("the table %s has the token", table)
		}
	}
}
