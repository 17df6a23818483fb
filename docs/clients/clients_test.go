package clients

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
)

// client is one of the clients with its driver, in a folder of their own.
type client struct {
	program string   // without which it cannot run
	files   []string // to copy: the driver first, then the client
	build   []string
	run     []string
	folder  string
}

var clients = map[string]*client{
	"Python":     {program: "python3", files: []string{"driver.py", "sellerd.py"}, run: []string{"python3", "-W", "error", "driver.py"}},
	"PHP":        {program: "php", files: []string{"driver.php", "Sellerd.php"}, run: []string{"php", "-d", "display_errors=stderr", "-d", "error_reporting=-1", "driver.php"}},
	"JavaScript": {program: "node", files: []string{"driver.mjs", "sellerd.mjs"}, run: []string{"node", "driver.mjs"}},
	"Go": {
		program: "go", files: []string{"driver.go", "client.go", "lists.go", "webhook.go"},
		build: []string{"go", "build", "-o", "driver", "."}, run: []string{"./driver"},
	},
}

// each runs a test for each client, beside the others.
func each(t *testing.T, test func(t *testing.T, c *client)) {
	t.Helper()
	for language, c := range clients {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			installed.Require(t, "THE CLIENT FOR "+strings.ToUpper(language)+" WAS NOT TRIED", c.program)
			test(t, c)
		})
	}
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "clients")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(folder) }()
		for language, c := range clients {
			c.folder = filepath.Join(folder, language)
			if err := c.install(); err != nil {
				panic(err)
			}
		}
		return m.Run()
	}())
}

// install copies the client as a seller would.
func (c *client) install() error {
	beside := ""
	if c.program == "go" {
		beside = "client"
	}
	if err := os.MkdirAll(filepath.Join(c.folder, beside), 0o700); err != nil {
		return err
	}
	for i, name := range c.files {
		from, to := name, filepath.Join(c.folder, beside, name)
		switch {
		case i == 0:
			from, to = filepath.Join("testdata", name), filepath.Join(c.folder, name)
		case beside != "":
			from = filepath.Join("../../v1/client", name)
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return err
		}
	}
	if c.build == nil {
		return nil
	}
	if err := os.WriteFile(filepath.Join(c.folder, "go.mod"), []byte("module shop\n\ngo 1.24\n"), 0o600); err != nil {
		return err
	}
	build := exec.Command(c.build[0], c.build[1:]...)
	build.Dir, build.Stderr = c.folder, os.Stderr
	return build.Run()
}

// do lets the driver do something at an address, and returns what it printed.
func (c *client) do(t *testing.T, base string, arguments ...string) string {
	t.Helper()
	return c.with(t, base, nil, arguments...)
}

// with is do with more variables of the environment.
func (c *client) with(t *testing.T, base string, env []string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	driver := exec.CommandContext(ctx, c.run[0], append(c.run[1:len(c.run):len(c.run)], arguments...)...)
	driver.Dir, driver.Stderr = c.folder, t.Output()
	driver.Env = append(append(os.Environ(), "SELLERD_BASE_URL="+base, "SELLERD_KEY=dk_test_1", "http_proxy=http://127.0.0.1:1", "no_proxy="), env...)
	out, err := driver.Output()
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// patience is how long a driver may take, on a busy machine too. Without faults it takes seconds.
const patience = time.Minute

const (
	created = `{"status_code":202,"data":{"id":"sub_1"}}`
	busy    = `{"status_code":503,"errors":[{"code":"service_unavailable","message":"Later."}]}`
)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestARepetitionHasTheSameKey(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(
			t,
			answer{lost: true},
			answer{status: 409, body: `{"status_code":409,"errors":[{"code":"idempotency_key_in_progress","message":"Wait."}]}`},
			answer{status: 502, body: "<h1>Bad gateway</h1>"},
			answer{status: 202, body: created, header: header("Idempotent-Replayed", "true")},
		)

		got := c.do(t, s.URL, "call", "POST", "/v1/items", `{"title":"A"}`)

		if diff := cmp.Diff(`202 {"id":"sub_1"} - replayed`, got); diff != "" {
			t.Error(diff)
		}
		requests := s.requests()
		if len(requests) != 4 {
			t.Fatalf("there were %d requests, want 4", len(requests))
		}
		for i, r := range requests {
			if r.idempotencyKey == "" || r.idempotencyKey != requests[0].idempotencyKey {
				t.Errorf("request %d has the key %q, the first has %q", i, r.idempotencyKey, requests[0].idempotencyKey)
			}
			if diff := cmp.Diff([]string{"POST", "/v1/items", "dk_test_1", "application/json", `{"title":"A"}`}, []string{r.method, r.target, r.key, r.contentType, r.compactBody()}); diff != "" {
				t.Errorf("request %d: %s", i, diff)
			}
		}
	})
}

func TestEachCallHasAKeyOfItsOwn(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(t, answer{status: 202, body: created})
		c.do(t, s.URL, "call", "POST", "/v1/items", `{"title":"A"}`)
		c.do(t, s.URL, "call", "POST", "/v1/items", `{"title":"A"}`)
		c.do(t, s.URL, "call", "POST", "/v1/items", `{"title":"A"}`, "shelf-7")
		c.do(t, s.URL, "call", "PATCH", "/v1/items/1", `{"title":"B"}`)
		r := s.requests()
		if r[0].idempotencyKey == r[1].idempotencyKey || r[2].idempotencyKey != "shelf-7" || r[3].idempotencyKey != "" {
			t.Errorf("the keys are %q, %q, %q and %q", r[0].idempotencyKey, r[1].idempotencyKey, r[2].idempotencyKey, r[3].idempotencyKey)
		}
	})
}

func TestItWaitsAsLongAsTheServiceAsks(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(
			t,
			answer{status: 429, header: header("Retry-After", "2"), body: `{"status_code":429,"errors":[{"code":"rate_limited","message":"Wait."}]}`},
			answer{status: 200, body: created},
		)
		c.do(t, s.URL, "call", "GET", "/v1/account")
		r := s.requests()
		if len(r) != 2 {
			t.Fatalf("there were %d requests, want 2", len(r))
		}
		if waited := r[1].at.Sub(r[0].at); waited < 2*time.Second {
			t.Errorf("it waited %s, want at least 2 seconds", waited)
		}
	})
}

func TestItGivesUp(t *testing.T) {
	for name, test := range map[string]struct {
		answer       answer
		env          []string
		arguments    []string
		least, most  int // requests
		want, within string
	}{
		"at the deadline": {
			answer: answer{status: 503, body: busy}, env: []string{"DEADLINE=2"}, arguments: []string{"call", "GET", "/v1/account"},
			least: 2, most: 6, want: "error 503 service_unavailable req-1 {}",
		},
		"at once if it would have to wait for longer": {
			answer:    answer{status: 429, header: header("Retry-After", "3600"), body: `{"status_code":429,"errors":[{"code":"daily_item_limit_reached","message":"Tomorrow."}]}`},
			arguments: []string{"call", "POST", "/v1/items", "{}"}, least: 1, most: 1, want: "error 429 daily_item_limit_reached req-1 {}",
		},
		"at once if the request is wrong": {
			answer: answer{status: 422, body: `{"status_code":422,"errors":[{"code":"too_short","message":"Too short.","field":"title"},` +
				`{"code":"missing_field","message":"Missing.","field":"price"}]}`},
			arguments: []string{"call", "POST", "/v1/items", "{}"}, least: 1, most: 1,
			want: `error 422 too_short req-1 {"price":"Missing.","title":"Too short."}`,
		},
		"at once if the state does not allow it": {
			answer:    answer{status: 409, body: `{"status_code":409,"errors":[{"code":"item_has_bids","message":"No."}]}`},
			arguments: []string{"call", "POST", "/v1/items/1/close"}, least: 1, most: 1, want: "error 409 item_has_bids req-1 {}",
		},
		"at once if a new secret was perhaps made": {
			answer: answer{status: 503, body: busy}, arguments: []string{"call", "PATCH", "/v1/webhooks/wh_1", `{"rotate_secret":true}`},
			least: 1, most: 1, want: "error 503 service_unavailable req-1 {}",
		},
		"at once if a web page answers": {
			answer: answer{status: 200, body: "<h1>Welcome</h1>"}, arguments: []string{"call", "GET", "/v1/account"},
			least: 1, most: 1, want: "error 200 unexpected_answer req-1 {}",
		},
		"at the deadline if something between them fails": {
			answer: answer{status: 520, body: "<h1>Unknown error</h1>"}, env: []string{"DEADLINE=2"}, arguments: []string{"call", "GET", "/v1/account"},
			least: 2, most: 6, want: "error 520 unexpected_answer req-1 {}",
		},
		"at once if the method is unknown": {
			answer: answer{status: 501, body: "<h1>Not implemented</h1>"}, arguments: []string{"call", "GET", "/v1/account"},
			least: 1, most: 1, want: "error 501 unexpected_answer req-1 {}",
		},
		"at once if the version of HTTP is unknown": {
			answer: answer{status: 505, body: "<h1>No such version</h1>"}, arguments: []string{"call", "GET", "/v1/account"},
			least: 1, most: 1, want: "error 505 unexpected_answer req-1 {}",
		},
		"at once if it is sent elsewhere": {
			answer: answer{status: 302, header: header("Location", "/v1/elsewhere")}, arguments: []string{"call", "GET", "/v1/account"},
			least: 1, most: 1, want: "error 302 unexpected_answer",
		},
		"when no answer comes": {
			answer: answer{silent: true}, env: []string{"TIMEOUT=0.5", "DEADLINE=1.5"}, arguments: []string{"call", "GET", "/v1/account"},
			least: 1, most: 3, want: "error 0 no_answer - {}",
		},
		"when half an answer comes": {
			answer: answer{status: 200, body: created, cut: true}, env: []string{"DEADLINE=1"}, arguments: []string{"call", "GET", "/v1/account"},
			least: 1, most: 3, want: "error 0 no_answer - {}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, c *client) {
				s := serve(t, test.answer)
				began := time.Now()
				got := c.with(t, s.URL, test.env, test.arguments...)
				if took := time.Since(began); took > 15*time.Second {
					t.Errorf("it took %s", took)
				}
				if !strings.HasPrefix(got, test.want) {
					t.Errorf("it says %q, want %q", got, test.want)
				}
				if n := len(s.requests()); n < test.least || n > test.most {
					t.Errorf("there were %d requests, want %d to %d", n, test.least, test.most)
				}
			})
		})
	}
}

func TestTheMessageNamesTheField(t *testing.T) {
	for name, test := range map[string]struct{ entries, want string }{
		"of two fields": {
			`{"code":"too_short","message":"Too short.","field":"title"},{"code":"missing_field","message":"Missing.","field":"price.amount"}`,
			"too_short: Too short. (field title); missing_field: Missing. (field price.amount) (request req-1)",
		},
		"of an entry": {
			`{"code":"too_short","message":"Too short.","field":"title","index":0},{"code":"item_not_found","message":"None.","index":12}`,
			"too_short: Too short. (index 0, field title); item_not_found: None. (index 12) (request req-1)",
		},
		"unless there is none": {
			`{"code":"item_has_bids","message":"No."},{"code":"a","message":"B.","field":null,"index":null}`,
			"item_has_bids: No.; a: B. (request req-1)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, c *client) {
				s := serve(t, answer{status: 422, body: `{"status_code":422,"errors":[` + test.entries + `]}`})
				if diff := cmp.Diff(test.want, c.do(t, s.URL, "message", "POST", "/v1/items", "{}")); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestItWalksThroughAList(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(
			t,
			answer{status: 200, body: `{"status_code":200,"data":{"results":[{"id":"1"},{"id":"2"}],"next_cursor":"c/1="}}`},
			answer{status: 200, body: `{"status_code":200,"data":{"results":[],"next_cursor":"c2"}}`},
			answer{status: 200, body: `{"status_code":200,"data":{"results":[{"id":"3"}],"next_cursor":null}}`},
		)
		if diff := cmp.Diff("1\n2\n3", c.do(t, s.URL, "walk")); diff != "" {
			t.Error(diff)
		}
		filters := "has_bids=false&status=open&status=scheduled&title=A+%26+B"
		want := []string{"/v1/items?" + filters, "/v1/items?after=c%2F1%3D&" + filters, "/v1/items?after=c2&" + filters}
		if diff := cmp.Diff(want, s.targets(t)); diff != "" {
			t.Error(diff)
		}
	})
}

func page(cursor string, more bool, ids ...string) answer {
	var events []string
	for _, id := range ids {
		events = append(events, `{"id":"`+id+`"}`)
	}
	return answer{status: 200, body: `{"status_code":200,"data":{"results":[` + strings.Join(events, ",") + `],"next_cursor":"` + cursor + `","has_more":` + strconv.FormatBool(more) + `}}`}
}

func TestItReadsTheFeed(t *testing.T) {
	t.Run("to its end", func(t *testing.T) {
		each(t, func(t *testing.T, c *client) {
			s := serve(t, page("c1", true, "evt_1", "evt_2"), page("c2", true), page("c3", false, "evt_3"))
			if diff := cmp.Diff("c1 evt_1 evt_2\nc2\nc3 evt_3", c.do(t, s.URL, "events", "", "once", "0")); diff != "" {
				t.Error(diff)
			}
			want := []string{"/v1/events?type=item.%2A", "/v1/events?after=c1&type=item.%2A", "/v1/events?after=c2&type=item.%2A"}
			if diff := cmp.Diff(want, s.targets(t)); diff != "" {
				t.Error(diff)
			}
		})
	})
	t.Run("from where it stopped, waiting for what comes", func(t *testing.T) {
		each(t, func(t *testing.T, c *client) {
			s := serve(t, page("c5", false), page("c6", false, "evt_6"), page("c7", false, "evt_7"))
			if diff := cmp.Diff("c5\nc6 evt_6\nc7 evt_7", c.with(t, s.URL, []string{"TIMEOUT=30", "DEADLINE=60"}, "events", "c4", "follow", "3")); diff != "" {
				t.Error(diff)
			}
			want := []string{"/v1/events?after=c4&type=item.%2A&wait=20", "/v1/events?after=c5&type=item.%2A&wait=20", "/v1/events?after=c6&type=item.%2A&wait=20"}
			if diff := cmp.Diff(want, s.targets(t)); diff != "" {
				t.Error(diff)
			}
			r := s.requests()
			if pause := r[1].at.Sub(r[0].at); pause < 900*time.Millisecond {
				t.Errorf("the service did not wait for events, and it asked again after %s", pause)
			}
		})
	})
	t.Run("waiting for less time than the client does", func(t *testing.T) {
		each(t, func(t *testing.T, c *client) {
			for _, test := range []struct{ timeout, deadline, want string }{{"12.5", "60", "7"}, {"30", "9", "4"}, {"3", "60", "0"}, {"25", "25", "20"}} {
				s := serve(t, page("c5", false, "evt_5"))
				c.with(t, s.URL, []string{"TIMEOUT=" + test.timeout, "DEADLINE=" + test.deadline}, "events", "c4", "follow", "1")
				if diff := cmp.Diff([]string{"/v1/events?after=c4&type=item.%2A&wait=" + test.want}, s.targets(t)); diff != "" {
					t.Errorf("with the timeout %s and the deadline %s: %s", test.timeout, test.deadline, diff)
				}
			}
		})
	})
	t.Run("unless its cursor is too old", func(t *testing.T) {
		each(t, func(t *testing.T, c *client) {
			s := serve(t, answer{status: 410, body: `{"status_code":410,"errors":[{"code":"cursor_expired","message":"Too old."}]}`})
			if diff := cmp.Diff("error 410 cursor_expired req-1 {}", c.do(t, s.URL, "events", "c4", "follow", "3")); diff != "" {
				t.Error(diff)
			}
		})
	})
}

func TestItWaitsForASubmission(t *testing.T) {
	pending := answer{status: 200, body: `{"status_code":200,"data":{"id":"sub_1","status":"pending","item_id":null,"errors":[]}}`}
	t.Run("that is published", func(t *testing.T) {
		each(t, func(t *testing.T, c *client) {
			s := serve(t, pending, pending, answer{status: 200, body: `{"status_code":200,"data":{"id":"sub_1","status":"published","item_id":"7","errors":[]}}`})
			if got := c.do(t, s.URL, "wait", "sub_1"); got != "7" {
				t.Errorf("it says %q", got)
			}
			if diff := cmp.Diff(slices.Repeat([]string{"/v1/item-submissions/sub_1"}, 3), s.targets(t)); diff != "" {
				t.Error(diff)
			}
		})
	})
	t.Run("that is rejected", func(t *testing.T) {
		each(t, func(t *testing.T, c *client) {
			s := serve(t, pending, answer{status: 200, body: `{"status_code":200,"data":{"id":"sub_1","status":"rejected","item_id":null,` +
				`"errors":[{"code":"image_unreachable","message":"Not found.","field":"images[0]"}]}}`})
			if diff := cmp.Diff(`error 200 image_unreachable req-1 {"images[0]":"Not found."}`, c.do(t, s.URL, "wait", "sub_1")); diff != "" {
				t.Error(diff)
			}
		})
	})
}

func TestAnAnswerMayBeCompressed(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(t, answer{status: 200, packed: true, body: `{"status_code":200,"data":{"title":"Ceres"}}`})
		if diff := cmp.Diff(`200 {"title":"Ceres"} - first`, c.do(t, s.URL, "call", "GET", "/v1/items/1")); diff != "" {
			t.Error(diff)
		}
		refused := serve(t, answer{status: 404, packed: true, body: `{"status_code":404,"errors":[{"code":"item_not_found","message":"None."}]}`})
		if diff := cmp.Diff("error 404 item_not_found req-1 {}", c.do(t, refused.URL, "call", "GET", "/v1/items/1")); diff != "" {
			t.Error(diff)
		}
		damaged := serve(t, answer{status: 200, header: header("Content-Encoding", "gzip"), body: created})
		if diff := cmp.Diff("error 0 no_answer - {}", c.with(t, damaged.URL, []string{"DEADLINE=1"}, "call", "GET", "/v1/items/1")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestItReplacesItsKey(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(
			t,
			answer{lost: true},
			answer{status: 201, body: `{"status_code":201,"data":{"id":"2","key":null,"message":"Rotate again."}}`, header: header("Idempotent-Replayed", "true")},
			answer{status: 201, body: `{"status_code":201,"data":{"id":"3","key":"dk_test_3","message":null}}`},
		)
		if diff := cmp.Diff("dk_test_3", c.do(t, s.URL, "rotate", "3600")); diff != "" {
			t.Error(diff)
		}
		r := s.requests()
		if len(r) != 3 || r[0].idempotencyKey != r[1].idempotencyKey || r[1].idempotencyKey == r[2].idempotencyKey {
			t.Errorf("there were %d requests, or they have the wrong keys", len(r))
		}
		for i := range r {
			if diff := cmp.Diff([]string{"POST", "/v1/account/keys/current/rotate", `{"overlap_seconds":3600}`}, []string{r[i].method, r[i].target, r[i].compactBody()}); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func TestItReadsWhatHasChangedOnly(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(t, answer{status: 304, header: header("ETag", `"7"`)})
		if diff := cmp.Diff(`304 null "7" first`, c.do(t, s.URL, "call", "GET", "/v1/items/1", "", "", "If-None-Match", `"7"`)); diff != "" {
			t.Error(diff)
		}
		if r := s.requests(); r[0].ifNoneMatch != `"7"` {
			t.Errorf("If-None-Match was %q", r[0].ifNoneMatch)
		}
	})
}
