package exporting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/apiclient"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/sheet"
)

// stock lists n items in batches.
func stock(t *testing.T, s shop, n int) {
	t.Helper()
	for first := 0; first < n; first += 100 {
		var items []map[string]any
		for i := first; i < min(n, first+100); i++ {
			items = append(items, servertest.FixedPrice(map[string]any{"title": fmt.Sprintf("Stamp %04d", i)}))
		}
		if answer := s.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": items}}); answer.Status != http.StatusAccepted {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
	}
	s.Publish(t)
}

// TestChangesDuringAnExport changes, sells, closes and lists items between two pages.
func TestChangesDuringAnExport(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShop(t, w)
		stock(t, s, 450)
		var ids []string
		w.EachRow(t, "SELECT id FROM items ORDER BY created_at, id", func(values []any) { ids = append(ids, fmt.Sprint(values[0])) })
		client := s.client(t, s.Key)
		pages := 0
		e := &Exporter{Client: client, Options: Options{Kind: Items, Status: []string{"scheduled", "open"}, ForUpdate: true, Form: semicolons}, Zone: time.UTC}
		e.Progress = counted(func(int) {
			if pages++; pages > 1 {
				return
			}
			for _, id := range []string{ids[0], ids[449]} {
				s.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + id, Body: map[string]any{"title": "Changed"}})
			}
			s.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/items/" + ids[1] + "/close"})   // its page was read
			s.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/items/" + ids[300] + "/close"}) // its page is still to be read
			s.List(t, servertest.FixedPrice())
		})
		var out bytes.Buffer
		if err := e.Write(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, row := range columnsOf(t, out.Bytes(), "item_id") {
			seen[row[0]]++
		}
		for i, id := range ids {
			if want := map[bool]int{true: 1, false: 0}[i != 300]; seen[id] != want {
				t.Errorf("item %d is in the file %d times, want %d", i, seen[id], want)
			}
		}
		if len(seen) != 450 || e.Rows != 450 { // with the new one
			t.Errorf("%d items, %d rows", len(seen), e.Rows)
		}
	})
}

type counted func(n int)

func (c counted) Add(n int) { c(n) }

// TestAnExportIsPatient is asked to wait by the service, and to go slowly near its limit.
func TestAnExportIsPatient(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	s := newShop(t, w)
	stock(t, s, 450)
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch asked++; asked {
		case 2:
			out.Header().Set("Retry-After", "17")
			out.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(out, `{"errors":[{"code":"rate_limited","message":"Wait."}]}`)
		case 4:
			out.WriteHeader(http.StatusBadGateway)
		default:
			w.Server.Public.ServeHTTP(out, r)
		}
	}))
	t.Cleanup(server.Close)
	client, err := apiclient.New(server.URL, s.Key, time.Minute, s.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	var waits, notes []string
	client.Sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d.Truncate(time.Second).String())
		return nil
	}
	client.Notice = func(text string) { notes = append(notes, text) }
	e := &Exporter{Client: client, Progress: shown{}, Options: Options{Kind: Items, Form: semicolons}, Zone: time.UTC}
	var out bytes.Buffer
	if err := e.Write(t.Context(), &out); err != nil || e.Rows != 450 {
		t.Fatalf("%d rows, %v", e.Rows, err)
	}
	if diff := cmp.Diff([]string{"17s", "0s"}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "rate_limited: Wait.") {
		t.Errorf("notes: %q", notes)
	}
}

// bigShop serves pages of so many bills, which are the same on every page.
func bigShop(t *testing.T, pages int, look func()) *httptest.Server {
	var bills []string
	for i := range pageSize {
		bills = append(bills, fmt.Sprintf(`{"id":"%d","number":"2026-%05[1]d","status":"sent","created_at":"2026-11-21T12:00:00.%06[1]dZ","subtotal":{"amount":"%[1]d.10","currency":"EUR"},
			"shipping_cost":{"amount":"2.50","currency":"EUR"},"total":{"amount":"%[2]d.60","currency":"EUR"},
			"buyer":{"id":"%[1]d","nickname":"buyer-%[1]d","first_name":"Ann","last_name":"van den Berg-%[1]d","email":"ann-%[1]d@example.com","country":"BE"},
			"shipping_address":{"name":"Ann van den Berg","line1":"Rue de la Loi %[1]d","postal_code":"1000","city":"Bruxelles","country":"BE"},
			"sales":[{"id":"%[1]d","title":"France 1849, 20c black Ceres, number %[1]d","quantity":1,"personal_reference":"R-%[1]d"}]}`, i, i+2))
	}
	results := strings.Join(bills, ",")
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("after"))
		next := "null"
		if page+1 < pages {
			next = strconv.Quote(strconv.Itoa(page + 1))
		}
		fmt.Fprintf(out, `{"data":{"results":[%s],"next_cursor":%s}}`, results, next)
		look()
	}))
	t.Cleanup(server.Close)
	return server
}

// TestManyRowsNeedLittleMemory writes them in both forms, and looks at each page of the list what is still in use, the shop's own included.
func TestManyRowsNeedLittleMemory(t *testing.T) {
	const pages = 50
	const limit = 20 // MB
	for _, form := range []sheet.Form{semicolons, workbook} {
		t.Run(fmt.Sprintf("a workbook %t", form.Workbook), func(t *testing.T) {
			var most uint64
			look := func() {
				runtime.GC() // what is left is needed
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			client, err := apiclient.New(bigShop(t, pages, look).URL, "dk_test_"+strings.Repeat("a", 40), time.Minute, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			e := &Exporter{Client: client, Progress: shown{}, Options: Options{Kind: Bills, Form: form}, Zone: time.UTC}
			err = e.Write(t.Context(), io.Discard)
			if err != nil || e.Rows != pages*pageSize {
				t.Fatalf("%d rows, %v", e.Rows, err)
			}
			if most>>20 > limit {
				t.Errorf("%d MB in use, more than %d", most>>20, limit)
			}
			t.Logf("%.1f MB in use", float64(most)/(1<<20))
			if diff := cmp.Diff([]string{"sum of total: 1021000.00 EUR"}, e.Sums()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnErrorEndsAnExport: what was written until then is no file.
func TestAnErrorEndsAnExport(t *testing.T) {
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	e := &Exporter{Client: s.client(t, "dk_test_"+strings.Repeat("a", 40)), Progress: shown{}, Options: Options{Kind: Sales, Form: workbook}, Zone: time.UTC}
	err := e.Write(t.Context(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "invalid_api_key") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Write(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
