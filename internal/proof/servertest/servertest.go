// Package servertest gives tests the whole service: a new database, a clock that only the test moves, a seller with keys of
// both modes, and the HTTP handlers as the program mounts them. Each runs a test on SQLite and on PostgreSQL.
//
// Nothing runs in the background: a test calls the workers' steps itself, so it never sleeps.
package servertest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/ent"
	"sellerd/internal/base/each"
	"sellerd/internal/base/httplog"
	"sellerd/internal/demo"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/server"
	"sellerd/internal/store"
	"sellerd/v1"
	"sellerd/v1/core"
)

// Tests need little memory, and to collect it as often as usual takes a tenth of their time. Programs that tests start are not concerned.
func init() { debug.SetGCPercent(400) }

// Start is the first time of the clock: noon on a Saturday in November.
var Start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// Clock is a clock that stands still until it is moved. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Log is a text, such as a log, that may be read while it is written. The zero value is empty.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns what was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// World is the service and everything around it.
type World struct {
	Service *v1.Service
	Store   *store.DB
	Clock   *Clock
	Server  *server.Server
	Config  v1.Config

	Account int64  // the seller's account
	Key     string // its test key, which Do sends by default
	LiveKey string

	images     string // base URL of the demo images
	imagesOnce sync.Once
}

// Option changes the service's configuration before it is made.
type Option func(*v1.Config)

// Each runs a test on SQLite and on PostgreSQL, each time in a new world. It runs beside other tests: it calls t.Parallel, and so can be called
// once in a test, which sets no environment.
func Each(t *testing.T, test func(t *testing.T, w *World), options ...Option) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, database func(testing.TB) string) { test(t, New(t, database(t), options...)) })
}

// EachDatabase is Each, with what it says of t.Parallel, for tests that make their services themselves: database returns the URL of a new
// database at each call.
func EachDatabase(t *testing.T, test func(t *testing.T, database func(testing.TB) string)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, SQLite)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Postgres)
	})
}

// Alone is Each for tests that measure or change what the process has only once, such as its memory or its log: no other test of their
// package runs beside them.
func Alone(t *testing.T, test func(t *testing.T, w *World), options ...Option) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, New(t, SQLite(t), options...)) })
	t.Run("postgres", func(t *testing.T) { test(t, New(t, Postgres(t), options...)) })
}

// One is Each on SQLite alone, for tests of what no database has a part in, such as how an answer is compressed.
func One(t *testing.T, test func(t *testing.T, w *World), options ...Option) {
	t.Helper()
	t.Parallel()
	test(t, New(t, SQLite(t), options...))
}

// Postgres is the URL of a new database with all tables. It skips the test, loudly, where no PostgreSQL is installed.
func Postgres(tb testing.TB) string { return pgtest.URL(tb, migrate) }

// PostgresDirect is Postgres without the pooler that the suite may run behind, for tests that set the limits of connections.
func PostgresDirect(tb testing.TB) string { return pgtest.Direct(tb, migrate) }

func migrate(url string) error {
	db, err := store.Open(context.Background(), store.Config{URL: url})
	if err != nil {
		return err
	}
	return db.Close()
}

// New makes a world on a database.
func New(tb testing.TB, url string, options ...Option) *World {
	tb.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, store.Config{URL: url, Server: true})
	if err != nil {
		tb.Fatalf("open %s: %v", url, err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close the database: %v", err)
		}
	})
	w := &World{Store: db, Clock: &Clock{now: Start}}
	w.Config = v1.Config{Config: core.Config{
		Store: db, Clock: w.Clock, Logger: httplog.NewLogger(io.Discard, slog.LevelInfo, httplog.JSON), Secret: []byte("0123456789abcdef0123456789abcdef"),
		BaseURL: "http://sellerd.test", SiteURL: "https://www.example.com",
		RateLimit: 0, OpenItems: v1.DefaultOpenItems, NewItemsPerDay: v1.DefaultNewItemsPerDay, AllowPrivateTargets: true,
	}}
	// Private targets are let through, because the tests of /v1 have receivers and pictures on loopback, without TLS. Those of
	// /rest and the transcripts do without: see Web.Production.
	addRest(tb, &w.Config)
	for _, option := range options {
		option(&w.Config)
	}
	if w.Service, err = v1.New(w.Config); err != nil {
		tb.Fatalf("make the service: %v", err)
	}
	w.Server, err = server.New(server.Config{Service: w.Service, Logger: w.Config.Logger, Tracer: w.Config.Tracer, BaseURL: w.Config.BaseURL, Version: "test", OperatorToken: OperatorToken})
	if err != nil {
		tb.Fatalf("make the server: %v", err)
	}
	w.Account, w.Key, w.LiveKey = w.Seller(tb, "anna")
	return w
}

// Seller makes another account with a test and a live key.
func (w *World) Seller(tb testing.TB, nickname string) (account int64, testKey, liveKey string) {
	tb.Helper()
	made, err := w.Service.CreateAccount(context.Background(), v1.NewAccount{Nickname: nickname, Email: nickname + "@example.com", Country: "BE"})
	if err != nil {
		tb.Fatalf("create account %s: %v", nickname, err)
	}
	return int64(made.ID), w.NewKey(tb, int64(made.ID), "test"), w.NewKey(tb, int64(made.ID), "live")
}

// NewKey makes a key.
func (w *World) NewKey(tb testing.TB, account int64, mode string) string {
	tb.Helper()
	return w.createKey(tb, v1.NewKey{Account: account, Mode: mode, Name: "tests"})
}

// LesserKey makes a test key of the world's account that has some permissions only.
func (w *World) LesserKey(tb testing.TB, permissions v1.Permissions) string {
	tb.Helper()
	return w.createKey(tb, v1.NewKey{Account: w.Account, Mode: "test", Permissions: v1.Some(permissions)})
}

func (w *World) createKey(tb testing.TB, wanted v1.NewKey) string {
	tb.Helper()
	key, _, err := w.Service.CreateKey(context.Background(), wanted)
	if err != nil {
		tb.Fatalf("create key: %v", err)
	}
	return key
}

// Permit changes in the database what a key permits, which no request can. Tests need more kinds of keys than an account may
// have keys.
func (w *World) Permit(tb testing.TB, key string, permissions v1.Permissions) {
	tb.Helper()
	err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
		return tx.APIKey.UpdateOneID(strings.Split(key, "_")[2]).SetPermissions(permissions.String()).Exec(ctx)
	})
	if err != nil {
		tb.Fatalf("change the permissions of a key: %v", err)
	}
}

// ImageURL is the address of one of the demo images (see demo.Images), served on loopback for this test.
func (w *World) ImageURL(tb testing.TB, name string) string {
	w.imagesOnce.Do(func() {
		images := httptest.NewServer(demo.Images())
		tb.Cleanup(images.Close)
		w.images = images.URL
	})
	return w.images + "/" + name
}

// OperatorToken opens the operator API of every world.
const OperatorToken = "the-operators-token-of-all-tests"

// Request is what Do and DoOperator send. Body is a string as it is, anything else as JSON.
type Request struct {
	Method string // GET, or POST with a body
	Path   string
	Body   any
	Key    string // World.Key, for the operator OperatorToken; "none" sends none
	Header map[string]string
}

// Response is the answer.
type Response struct {
	Status int
	Header http.Header
	Body   string
	Data   jsontext.Value
	Errors []ErrorEntry
}

// ErrorEntry is an error as callers see it.
type ErrorEntry struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Field   string         `json:"field"`
	Index   *int           `json:"index"`
	Details map[string]any `json:"details"`
	DocsURL string         `json:"docs_url"`
}

// Codes are the errors' codes with their fields, "code field", in order.
func (r Response) Codes() []string {
	return each.Of(r.Errors, func(e ErrorEntry) string { return strings.TrimSpace(e.Code + " " + e.Field) })
}

// Do sends a request through the public handler and checks the envelope, exactly status_code and data, or status_code
// and errors, and that the OpenAPI document describes what was answered.
func (w *World) Do(tb testing.TB, request Request) Response {
	tb.Helper()
	if request.Key == "" {
		request.Key = w.Key
	}
	answer, e := w.send(tb, w.Server.Public, request, "X-Api-Key", request.Key)
	described().check(tb, e)
	return answer
}

// DoOperator is Do through the operator's handler, with the OpenAPI document of the operator API.
func (w *World) DoOperator(tb testing.TB, request Request) Response {
	tb.Helper()
	if request.Key == "" {
		request.Key = OperatorToken
	}
	answer, e := w.send(tb, w.Server.Operator, request, "Authorization", "Bearer "+request.Key)
	operatorDescribed().check(tb, e)
	return answer
}

func (w *World) send(tb testing.TB, handler http.Handler, request Request, header, credential string) (Response, exchange) {
	tb.Helper()
	var body io.Reader
	var text string
	if request.Body != nil {
		var ok bool
		if text, ok = request.Body.(string); !ok {
			encoded, err := json.Marshal(request.Body)
			if err != nil {
				tb.Fatalf("encode body: %v", err)
			}
			text = string(encoded)
		}
		body = strings.NewReader(text)
	}
	method := request.Method
	if method == "" {
		method = http.MethodGet
		if body != nil {
			method = http.MethodPost
		}
	}
	r := httptest.NewRequest(method, request.Path, body)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if request.Key != "none" {
		r.Header.Set(header, credential)
	}
	for name, value := range request.Header {
		r.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	answer := w.read(tb, method, recorder)
	return answer, exchange{r, text, answer}
}

func (w *World) read(tb testing.TB, method string, recorder *httptest.ResponseRecorder) Response {
	tb.Helper()
	out := Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.String()}
	if method == http.MethodHead || out.Status == http.StatusNotModified {
		if out.Body != "" {
			tb.Errorf("%s answered %d with a body", method, out.Status)
		}
		return out
	}
	var envelope struct {
		StatusCode int            `json:"status_code"`
		Data       jsontext.Value `json:"data"`
		Errors     []ErrorEntry   `json:"errors"`
	}
	if err := json.Unmarshal([]byte(out.Body), &envelope, json.RejectUnknownMembers(true)); err != nil {
		tb.Fatalf("answer %d is not an envelope: %v\n%s", out.Status, err, out.Body)
	}
	if envelope.StatusCode != out.Status || (envelope.Data == nil) == (envelope.Errors == nil) {
		tb.Errorf("answer %d is not an envelope: %s", out.Status, out.Body)
	}
	out.Data, out.Errors = envelope.Data, envelope.Errors
	out.translates(tb)
	return out
}

// translates fails the test if an English message has no translation. All languages have the same messages.
func (r Response) translates(tb testing.TB) {
	tb.Helper()
	if r.Header.Get("Content-Language") != v1.Languages[0] {
		return
	}
	for _, e := range r.Errors {
		if _, language := (v1.Errors{{Message: e.Message}}).In("fr"); language != "fr" {
			tb.Errorf("%s: v1/refusal/messages.txt lacks the message %q", e.Code, e.Message)
		}
	}
}

// Into reads the response's data, failing the test when there is none.
func Into[T any](tb testing.TB, r Response) T {
	tb.Helper()
	var out T
	if r.Data == nil {
		tb.Fatalf("expected data, got %d %s", r.Status, r.Body)
	}
	if err := json.Unmarshal(r.Data, &out); err != nil {
		tb.Fatalf("read data: %v\n%s", err, r.Data)
	}
	return out
}

// Keyed is a POST with an Idempotency-Key.
func Keyed(key, path string, body any) Request {
	return Request{Method: http.MethodPost, Path: path, Body: body, Header: map[string]string{"Idempotency-Key": key}}
}

// Await fails the test when something does not happen in good time.
func Await(tb testing.TB, what string, happened <-chan struct{}) {
	tb.Helper()
	select {
	case <-happened:
	case <-time.After(30 * time.Second):
		tb.Fatalf("%s did not happen", what)
	}
}

// Publish runs the publisher until nothing is due.
func (w *World) Publish(tb testing.TB) {
	tb.Helper()
	untilIdle(tb, "publish", w.Service.PublishOnce)
}

// PassDueDates runs the closer until nothing is due.
func (w *World) PassDueDates(tb testing.TB) {
	tb.Helper()
	untilIdle(tb, "close due items", w.Service.CloseDueOnce)
}

// Purge deletes what is old until nothing is left to delete.
func (w *World) Purge(tb testing.TB) {
	tb.Helper()
	untilIdle(tb, "purge", w.Service.PurgeOnce)
}

// untilIdle takes steps of a worker until there is nothing to do, and returns how much it did.
func untilIdle(tb testing.TB, what string, step func(context.Context) (int, error)) (total int) {
	tb.Helper()
	for {
		n, err := step(context.Background())
		if err != nil {
			tb.Fatalf("%s: %v", what, err)
		}
		if n == 0 {
			return total
		}
		total += n
	}
}

// Category is a selectable category.
const Category = "1010101"

// Count counts rows with a raw condition, for what callers cannot see: w.Count(t, "idempotency_keys", "1 = 1").
func (w *World) Count(tb testing.TB, table, condition string) (n int) {
	tb.Helper()
	w.EachRow(tb, fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", table, condition), func(values []any) { n = int(values[0].(int64)) })
	return n
}

// SealedUnder is a second service on a world's database, with another secret.
func (w *World) SealedUnder(tb testing.TB, secret string) *v1.Service {
	tb.Helper()
	config := w.Config
	config.Secret = []byte(secret)
	service, err := v1.New(config)
	if err != nil {
		tb.Fatal(err)
	}
	return service
}
