package v1_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestKeysOfTheOldInterfaceAreTakenOver(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		other, _, _ := w.Seller(t, "bruno")
		mine, theirs := "/operator/accounts/"+accountID(w)+"/legacy-keys", "/operator/accounts/"+v1.ID(other).String()+"/legacy-keys"
		key := strings.Repeat("Ab3", 21) + "z"
		send := func(path, key string) servertest.Response {
			return w.DoOperator(t, servertest.Request{Path: path, Body: object{"key": key}})
		}
		first := send(mine, key)
		made := servertest.Into[object](t, first)
		want := object{"id": made["id"], "account_id": accountID(w), "created_at": "2026-11-21T12:00:00Z"}
		if diff := cmp.Diff(want, made); diff != "" || first.Status != 201 || len(made["id"].(string)) != 12 {
			t.Errorf("%d, answer (-want +got):\n%s", first.Status, diff)
		}
		w.Clock.Advance(time.Hour)
		if again := send(mine, key); again.Status != 200 || cmp.Diff(made, servertest.Into[object](t, again)) != "" {
			t.Errorf("again: %d %s", again.Status, again.Body)
		}
		for name, refused := range map[string]servertest.Response{
			"another account's":  send(theirs, key),
			"too short":          send(mine, key[1:]),
			"too long":           send(mine, key+"a"),
			"other characters":   send(mine, key[:63]+"é"),
			"with a line's end":  send(mine, key+"\n"),
			"a dash in the form": send(mine, key[:63]+"-"),
		} {
			if diff := cmp.Diff([]string{"invalid_value key"}, refused.Codes()); diff != "" || strings.Contains(refused.Body, key[:20]) {
				t.Errorf("%s: %s (-want +got):\n%s", name, refused.Body, diff)
			}
		}
		if diff := cmp.Diff([]string{"missing_field key"}, w.DoOperator(t, servertest.Request{Path: mine, Body: object{}}).Codes()); diff != "" {
			t.Errorf("no key (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"route_not_found"}, send("/operator/accounts/99/legacy-keys", key).Codes()); diff != "" {
			t.Errorf("an account that does not exist (-want +got):\n%s", diff)
		}
		if _, err := w.Service.CloseAccount(t.Context(), w.Account, 1); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"invalid_value"}, send(mine, strings.Repeat("b", len(key))).Codes()); diff != "" {
			t.Errorf("a closed account (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "legacy_keys", "1 = 1"); n != 1 {
			t.Errorf("%d keys are stored", n)
		}
	})
}
