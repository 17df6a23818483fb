package v1_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/privacy"
)

// A new column must be classified before anything else: what exports, searches and erasures do with it follows from that.
func TestEveryColumnIsClassified(t *testing.T) {
	want := map[string]bool{}
	for _, table := range servertest.Tables() {
		for _, column := range servertest.Columns(table) {
			want[table+"."+column] = true
		}
	}
	got := map[string]bool{}
	for column, class := range privacy.Columns() {
		got[column] = slices.Contains([]string{"buyer", "seller", "text", "copied", "secret", "plain"}, class)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("v1/privacy/catalogue.txt and the schema (-schema +catalogue):\n%s", diff)
	}
}

// marked are the texts that plantMarks wrote, by column.
type marked map[string]string

// plantMarks writes a text of its own into every column of an account that can have one, whoever may have written it, and which the story
// of zoe has not filled: the columns of the catalogue that are not plain. A column without a row fails the test.
func plantMarks(t *testing.T, w *servertest.World) marked {
	t.Helper()
	marks := marked{}
	owner := v1.OwnerOf(w.Account, true)
	for column, class := range privacy.Columns() {
		table, name, _ := strings.Cut(column, ".")
		of := map[string]string{
			"accounts": "id", "api_keys": "account_id", "rate_windows": "", "secret_fingerprints": "", "idempotency_keys": "", "buyers": "", "legacy_keys": "", "operators": "", "operator_audit": "account_id",
		}
		by, special := of[table]
		if column == "operator_audit.operator" || class == "plain" || class == "secret" || class == "buyer" || special && by == "" {
			continue
		}
		condition := fmt.Sprintf("owner = %d", owner)
		if special {
			condition = fmt.Sprintf("%s = %d", by, w.Account)
		}
		text := "zqmark" + strings.ReplaceAll(table+name, "_", "") + "x"
		value := text
		switch column {
		case "items.images":
			value = `[{"url":"https://` + text + `.example/1.jpg"}]`
		case "operator_audit.before", "operator_audit.after", "shipping_models.zones", "submissions.draft", "submissions.errors", "submissions.warnings":
			value = `["` + text + `"]`
		}
		fill(t, w, fmt.Sprintf("UPDATE %s SET %s = '%s' WHERE %s", table, name, value, onlyOne(table, condition)))
		if n := w.Count(t, table, name+" = '"+value+"'"); n != 1 {
			t.Fatalf("%s has the mark in %d rows", column, n)
		}
		marks[column] = text
	}
	return marks
}

// onlyOne is the condition of one of the rows that meet a condition.
func onlyOne(table, condition string) string {
	if table == "item_words" {
		return condition + " AND (word, item_id) = (SELECT word, item_id FROM item_words WHERE " + condition + " ORDER BY item_id DESC, word DESC LIMIT 1)"
	}
	return "id = (SELECT max(id) FROM " + table + " WHERE " + condition + ")"
}

// exportedFiles exports an account.
func exportedFiles(t *testing.T, w *servertest.World) map[string]*bytes.Buffer {
	t.Helper()
	files := map[string]*bytes.Buffer{}
	_, err := w.Service.ExportAccount(t.Context(), w.Account, func(name string) (io.Writer, error) {
		files[name] = &bytes.Buffer{}
		return files[name], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Everything that the service knows of zoe and of a seller is exported, found, and erased, wherever it is.
func TestEveryPersonalByteIsExportedAndErased(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		zoe, _ := plantZoe(t, w)
		marks := plantMarks(t, w)
		if len(marks) < 25 {
			t.Fatalf("only %d columns have a mark", len(marks))
		}
		everyone := slices.Concat(zoesTraces, slices.Sorted(maps.Values(marks)))

		t.Run("the export of the account has it", func(t *testing.T) {
			var all bytes.Buffer
			for name, file := range exportedFiles(t, w) {
				if name != "export.json" && !strings.HasSuffix(name, ".txt") {
					for line := range bytes.Lines(file.Bytes()) {
						if !json.Valid(line) {
							t.Fatalf("%s has the line %s", name, line)
						}
					}
				}
				all.Write(file.Bytes())
			}
			for column, text := range marks {
				copied := privacy.Columns()[column] == "copied"
				if bytes.Contains(all.Bytes(), []byte(text)) == copied {
					t.Errorf("%s: exported is %t", column, !copied)
				}
			}
			for _, text := range []string{"secret_sha256", `"secret"`, "fingerprint", w.Key[len(w.Key)-20:]} {
				if bytes.Contains(all.Bytes(), []byte(text)) {
					t.Errorf("the export has %s", text)
				}
			}
		})

		t.Run("the export of the buyer has it", func(t *testing.T) {
			for _, account := range []int64{0, w.Account} {
				var document bytes.Buffer
				if err := w.Service.ExportBuyer(t.Context(), zoe, account, &document); err != nil {
					t.Fatal(err)
				}
				var rows map[string]json.RawMessage
				if err := json.Unmarshal(document.Bytes(), &rows); err != nil {
					t.Fatalf("%v: %s", err, document.Bytes())
				}
				for column, class := range privacy.Columns() {
					table, name, _ := strings.Cut(column, ".")
					if class != "buyer" {
						continue
					}
					inRows := w.Count(t, table, name+" LIKE '%zq.mail+box@example.org%'")
					var exported []map[string]json.RawMessage
					if err := json.Unmarshal(rows[table], &exported); err != nil {
						t.Fatalf("%s: %v", table, err)
					}
					inExport := 0
					for _, row := range exported {
						if bytes.Contains(row[name], []byte("zq.mail+box@example.org")) {
							inExport++
						}
					}
					if inRows != inExport {
						t.Errorf("%s has zoe's address in %d rows, and the export in %d", column, inRows, inExport)
					}
				}
				for _, text := range zoesTraces {
					quoted := strings.Trim(string(v1.EncodeJSON(nil, &text)), `"`)
					if !strings.Contains(document.String(), quoted) {
						t.Errorf("the export has no %s", quoted)
					}
				}
			}
			_, _, _ = w.Seller(t, "bob")
			var none bytes.Buffer
			if err := w.Service.ExportBuyer(t.Context(), zoe, w.Account+1, &none); err != nil || strings.Contains(none.String(), `"bill_id"`) {
				t.Errorf("what bob has of zoe: %v %s", err, none.String())
			}
		})

		t.Run("it is found", func(t *testing.T) {
			for _, text := range []string{"zq.mail+BOX", zoesTraces[0], "zqfirst É", zoesTraces[3], zoesTraces[4], zoesTraces[6]} {
				found, err := w.Service.FindBuyers(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				if len(found.Buyers) != 1 || found.Buyers[0].ID != zoe || len(found.Buyers[0].Accounts) != 1 || found.Buyers[0].Rows["sales"] != 3 {
					t.Errorf("%s finds %+v", text, found.Buyers)
				}
				if len(found.Places) < 5 {
					t.Errorf("%s is found in %+v", text, found.Places)
				}
			}
			for column, text := range marks {
				found, err := w.Service.FindBuyers(t.Context(), strings.ToUpper(text))
				if err != nil {
					t.Fatal(err)
				}
				if copied := privacy.Columns()[column] == "copied"; !copied && (len(found.Places) != 1 || found.Places[0].Place != column || found.Places[0].Account.V != v1.ID(w.Account)) {
					t.Errorf("%s is found in %+v", column, found.Places)
				}
			}
		})

		t.Run("the erasure of the account leaves nothing", func(t *testing.T) {
			if err := w.Service.EraseAccountNow(t.Context(), w.Account); err == nil {
				t.Fatal("an open account was erased")
			}
			if _, err := w.Service.CloseAccount(t.Context(), w.Account, 10); err != nil {
				t.Fatal(err)
			}
			if err := w.Service.EraseAccountNow(t.Context(), w.Account); err == nil {
				t.Fatal("an account was erased whose time is not over")
			}
			if _, err := w.Service.CloseAccount(t.Context(), w.Account, 0); err != nil {
				t.Fatal(err)
			}
			if err := w.Service.EraseAccountNow(t.Context(), w.Account); err != nil {
				t.Fatal(err)
			}
			wantNowhere(t, w, everyone)
			for _, table := range servertest.Tables() {
				for _, column := range servertest.Columns(table) {
					of := map[string]string{"owner": "IN (%d, %d)", "scope": "IN (%d, %d)", "account_id": "IN (%[1]d / 2, %[2]d / 2)"}[column]
					if of != "" && table != "operator_audit" && w.Count(t, table, column+" "+fmt.Sprintf(of, v1.OwnerOf(w.Account, false), v1.OwnerOf(w.Account, true))) > 0 {
						t.Errorf("%s has rows of the account", table)
					}
				}
			}
		})
	})
}

// wantNowhere fails if a text is in a table, or in the files of the database.
func wantNowhere(t *testing.T, w *servertest.World, texts []string) {
	t.Helper()
	left := servertest.Traces(t, w.Store, texts...)
	if w.Store.Dialect() == dialect.Postgres {
		left = append(left, servertest.ServerTraces(t, w.Store, texts...)...)
	} else {
		left = append(left, servertest.FileTraces(t, servertest.DatabaseFile(t, w.Store), texts...)...)
	}
	if diff := cmp.Diff([]string(nil), left); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// What nobody can know to be about a buyer stays when the buyer is forgotten, and is found.
func TestForgettingLeavesWhatPeopleWrote(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		zoe, _ := plantZoe(t, w)
		fill(t, w, "UPDATE items SET close_note = 'kept for Zqlast'")
		if _, err := w.Service.ForgetBuyer(t.Context(), zoe); err != nil {
			t.Fatal(err)
		}
		found, err := w.Service.FindBuyers(t.Context(), "zqlast")
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Buyers) != 0 || len(found.Places) != 1 || found.Places[0].Place != "items.close_note" {
			t.Errorf("found: %+v", found)
		}
	})
}

// The audit log has changes of no account, such as those of operators.
func TestATextOfNoAccountIsFound(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		if _, _, err := w.Service.CreateOperator(t.Context(), "zqemily", "read", true); err != nil {
			t.Fatal(err)
		}
		found, err := w.Service.FindBuyers(t.Context(), "zqemily")
		if err != nil {
			t.Fatal(err)
		}
		var places []string
		for _, place := range found.Places {
			places = append(places, fmt.Sprintf("%s %v %v %d", place.Place, place.Account.Set, place.Mode.Set, place.Rows))
		}
		if diff := cmp.Diff([]string{"operators.name false false 1", "operator_audit.after false false 1"}, places); diff != "" {
			t.Errorf("places (-want +got):\n%s", diff)
		}
	})
}

func TestAClosedAccountEndsAtOnceAndIsErasedInTheEnd(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		annas := w.Account
		bob, _, bobsLive := w.Seller(t, "bob")
		for _, of := range []struct{ key, name string }{{w.LiveKey, "annas-live"}, {w.Key, "annas"}, {bobsLive, "bobs"}} {
			w.Key = of.key
			storeLife(t, w, of.name, 1)
		}
		closed, err := w.Service.CloseAccount(t.Context(), annas, 2)
		if err != nil {
			t.Fatal(err)
		}
		if closed.Keys != 2 || closed.Webhooks != 2 || closed.Items < 2*v1.MaxBatch || closed.Bills != 1 || closed.Auctions != 0 {
			t.Errorf("closed: %+v", closed)
		}
		if _, _, err := w.Service.CreateKey(t.Context(), v1.NewKey{Account: annas, Mode: "live"}); err == nil {
			t.Error("a closed account got a key")
		}
		if _, err := w.Service.Suspend(t.Context(), annas, false); err == nil {
			t.Error("a closed account was resumed")
		}
		w.Key = w.LiveKey
		if got := w.Do(t, servertest.Request{Path: "/v1/items"}); got.Status != 401 {
			t.Errorf("a request after the end: %d", got.Status)
		}

		t.Run("what was still to be published leaves the market, too", func(t *testing.T) {
			w.Publish(t)
			work(t, w.Service.CloseAccountsOnce)
			running := fmt.Sprintf("owner IN (%d, %d) AND status IN ('open', 'scheduled')", v1.OwnerOf(annas, false), v1.OwnerOf(annas, true))
			if n := w.Count(t, "items", running+" AND bid_count = 0"); n != 0 {
				t.Errorf("%d items are on sale", n)
			}
			if n := w.Count(t, "items", running+" AND renewals_left = 0"); n != 1 {
				t.Errorf("%d auctions with bids run to their end", n)
			}
		})

		t.Run("it can be opened again", func(t *testing.T) {
			if _, err := w.Service.ReopenAccount(t.Context(), annas); err != nil {
				t.Fatal(err)
			}
			w.Key = w.NewKey(t, annas, "live")
			if got := w.Do(t, servertest.Request{Path: "/v1/items"}); got.Status != 200 {
				t.Errorf("a request with a new key: %d %s", got.Status, got.Body)
			}
			if _, err := w.Service.CloseAccount(t.Context(), annas, 2); err != nil {
				t.Fatal(err)
			}
		})

		t.Run("its data stay until their time is over", func(t *testing.T) {
			bobs := rowsOf(t, w, bob)
			w.Clock.Advance(2*365*24*time.Hour - 24*time.Hour)
			work(t, w.Service.CloseAccountsOnce)
			if n := w.Count(t, "bills", fmt.Sprintf("owner = %d", v1.OwnerOf(annas, false))); n == 0 {
				t.Error("the bills went early")
			}
			w.Clock.Advance(3 * 24 * time.Hour)
			work(t, w.Service.CloseAccountsOnce)
			for change, err := range map[string]error{
				"reopen": errorOf(w.Service.ReopenAccount(t.Context(), annas)), "keep": errorOf(w.Service.CloseAccount(t.Context(), annas, 10)),
			} {
				if !errors.Is(err, privacy.ErrErasing) {
					t.Errorf("%s while it is erased: %v", change, err)
				}
			}
			for range 3 {
				work(t, w.Service.CloseAccountsOnce)
				removeAll(t, w.Service)
			}
			if left := rowsOf(t, w, annas); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if diff := cmp.Diff(bobs, rowsOf(t, w, bob)); diff != "" {
				t.Errorf("of bob (-before +after):\n%s", diff)
			}
			if _, err := w.Service.ReopenAccount(t.Context(), annas); err != v1.ErrNoAccount { //nolint:errorlint // it is this one
				t.Errorf("it was opened again: %v", err)
			}
		})
	}, received(nil))
}

func errorOf[T any](_ T, err error) error { return err }

// A request that was admitted before the account was closed may store something between the end of a reset and the end of the account.
func TestAnErasureRemovesWhatALateRequestStores(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		annas, live := w.Account, v1.OwnerOf(w.Account, false)
		if _, err := w.Service.CloseAccount(t.Context(), annas, 0); err != nil {
			t.Fatal(err)
		}
		work(t, w.Service.CloseAccountsOnce)
		removeAll(t, w.Service)
		fill(t, w, fmt.Sprintf("UPDATE owners SET last_change_at = reset_at + 1 WHERE id = %d", live),
			fmt.Sprintf(`INSERT INTO submissions (id, owner, status, created_at, publish_deadline, due_at, completed_at) VALUES (7, %d, 'rejected', 1, 1, 1, 1)`, live))
		w.Clock.Advance(time.Minute)
		for range 2 {
			work(t, w.Service.CloseAccountsOnce)
			removeAll(t, w.Service)
		}
		if left := rowsOf(t, w, annas); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

// An account that cannot be erased does not hold up the next one.
func TestAnErasureThatFailsHoldsUpNoOther(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		annas := w.Account
		bob, _, _ := w.Seller(t, "bob")
		fill(t, w, fmt.Sprintf("UPDATE accounts SET closed_at = id, erase_at = id WHERE id IN (%d, %d)", annas, bob),
			"CREATE TABLE needs (account bigint REFERENCES accounts (id))", fmt.Sprintf("INSERT INTO needs VALUES (%d)", annas))
		work(t, w.Service.CloseAccountsOnce)
		removeAll(t, w.Service)
		if _, err := w.Service.CloseAccountsOnce(t.Context()); err == nil {
			t.Fatal("no erasure failed")
		}
		if n := w.Count(t, "accounts", fmt.Sprintf("id = %d", bob)); n != 0 {
			t.Error("bob's account is still there")
		}
	})
}

// work runs a worker's step until there is nothing left to do now.
func work(t *testing.T, step func(context.Context) (int, error)) {
	t.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// rowsOf counts the rows of an account in each table.
func rowsOf(t *testing.T, w *servertest.World, account int64) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range servertest.Tables() {
		for _, column := range servertest.Columns(table) {
			condition := map[string]string{"owner": "owner / 2", "account_id": "account_id", "scope": "scope / 2"}[column]
			if table == "accounts" && column == "id" {
				condition = "id"
			}
			if condition == "" || table == "operator_audit" { // which says who did what
				continue
			}
			if n := w.Count(t, table, fmt.Sprintf("%s = %d", condition, account)); n > 0 {
				counts[table] += n
			}
		}
	}
	return counts
}

func TestIdleBuyersAreForgotten(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		zoe, _ := plantZoe(t, w)
		purchase := func(nickname string) {
			item := w.List(t, servertest.FixedPrice())
			done(t, w, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: object{"buyer": object{"nickname": nickname, "country": "FR"}}})
		}
		purchase("unpaid") // the bill stays open
		w.Clock.Advance(2 * 365 * 24 * time.Hour)
		purchase("dora")
		w.Clock.Advance(370 * 24 * time.Hour)
		work(t, w.Service.ForgetIdleOnce)
		wantNowhere(t, w, zoesTraces)
		var got []string
		w.EachRow(t, "SELECT nickname FROM buyers ORDER BY id", func(values []any) { got = append(got, values[0].(string)) })
		if diff := cmp.Diff([]string{"forgotten-" + zoe.String(), "unpaid", "dora"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}, func(c *v1.Config) { c.BuyerRetentionYears = 3 })
}

func TestOneProcessForgetsIdleBuyers(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t), func(c *v1.Config) { c.BuyerRetentionYears = 1 })
	plantZoe(t, w)
	w.Clock.Advance(2 * 365 * 24 * time.Hour)
	fill(t, w, fmt.Sprintf("INSERT INTO rate_windows (id, tat, expires_at) VALUES ('lease/buyers', 7, %d)", w.Clock.Now().Add(time.Minute).UnixMicro()))
	work(t, w.Service.ForgetIdleOnce)
	if n := w.Count(t, "buyers", "forgotten_at IS NOT NULL"); n != 0 {
		t.Fatalf("%d buyers were forgotten while another process has the lease", n)
	}
	w.Clock.Advance(2 * time.Minute)
	work(t, w.Service.ForgetIdleOnce)
	if n := w.Count(t, "buyers", "forgotten_at IS NOT NULL"); n != 1 {
		t.Errorf("%d buyers were forgotten after the lease", n)
	}
}
