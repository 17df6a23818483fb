package blackbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// requestLimit is for one request.
const requestLimit = 15 * time.Second

// patientClient keeps its connections.
var patientClient = &http.Client{Timeout: requestLimit, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}

// freshClient neither keeps connections to dead servers nor repeats requests by itself.
var freshClient = &http.Client{Timeout: requestLimit, Transport: &http.Transport{DisableKeepAlives: true}}

// Client asks a server with a seller's key.
type Client struct {
	Server *Server
	Key    string
	Fresh  bool // a connection for each request, for servers that are killed
}

// Answer is the server's answer.
type Answer struct {
	Status     int             `json:"status_code"`
	Data       json.RawMessage `json:"data"`
	Errors     json.RawMessage `json:"errors"`
	Replayed   bool            `json:"-"`
	ETag       string          `json:"-"`
	RetryAfter string          `json:"-"`
}

// Do sends one request. The idempotency key and the body may be empty.
func (c *Client) Do(method, path, idempotencyKey string, body []byte) (Answer, error) {
	client := patientClient
	if c.Fresh {
		client = freshClient
	}
	return c.send(client, method, path, "Idempotency-Key", idempotencyKey, body)
}

// DoIfMatch sends one request, over a connection of its own, for an object that must still have an entity tag.
func (c *Client) DoIfMatch(method, path, tag string, body []byte) (Answer, error) {
	return c.send(freshClient, method, path, "If-Match", tag, body)
}

// ETag reads an object's entity tag.
func (c *Client) ETag(tb testing.TB, path string) string {
	tb.Helper()
	got, err := c.send(freshClient, http.MethodGet, path, "", "", nil)
	if err != nil || got.ETag == "" {
		tb.Fatalf("GET %s: %d without an ETag: %v", path, got.Status, err)
	}
	return got.ETag
}

// send sends one request with a header, unless its value is empty.
func (c *Client) send(client *http.Client, method, path, header, value string, body []byte) (Answer, error) {
	request, err := http.NewRequest(method, c.Server.URL()+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("X-Api-Key", c.Key)
	if value != "" {
		request.Header.Set(header, value)
	}
	return exchange(client, request)
}

func exchange(client *http.Client, request *http.Request) (got Answer, err error) {
	if request.ContentLength > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return got, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return got, err
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return got, err
	}
	got.Replayed = response.Header.Get("Idempotent-Replayed") == "true"
	got.RetryAfter = response.Header.Get("Retry-After")
	got.ETag = response.Header.Get("ETag")
	return got, nil
}

// Call sends one request, which must succeed, and returns its data.
func Call[T any](tb testing.TB, c *Client, method, path string, body any) T {
	tb.Helper()
	got, err := c.Do(method, path, "", encode(body))
	return dataOf[T](tb, method+" "+path, got, err)
}

func dataOf[T any](tb testing.TB, request string, got Answer, err error) (out T) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s: %v", request, err)
	}
	if got.Status/100 != 2 {
		tb.Fatalf("%s: %d %s", request, got.Status, got.Errors)
	}
	if err := json.Unmarshal(got.Data, &out); err != nil {
		tb.Fatalf("%s: %v", request, err)
	}
	return out
}

func encode(body any) []byte {
	if body == nil {
		return nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps of strings
	}
	return text
}

// Walk goes through a list from page to page. The path has a query.
func Walk[T any](tb testing.TB, c *Client, path string) iter.Seq[T] {
	return func(yield func(T) bool) {
		after := ""
		for {
			page := Call[struct {
				Results    []T     `json:"results"`
				NextCursor *string `json:"next_cursor"`
			}](tb, c, http.MethodGet, path+after, nil)
			for _, row := range page.Results {
				if !yield(row) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			after = "&after=" + url.QueryEscape(*page.NextCursor)
		}
	}
}

// Operate sends one request to the operator API, which must succeed, and returns its data.
func Operate[T any](tb testing.TB, s *Server, method, path string, body any) T {
	tb.Helper()
	request, err := http.NewRequest(method, s.OperatorURL()+path, bytes.NewReader(encode(body)))
	if err != nil {
		tb.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+OperatorToken)
	got, err := exchange(patientClient, request)
	return dataOf[T](tb, method+" "+path, got, err)
}

// Metric reads one of the server's metrics that has no labels.
func (s *Server) Metric(tb testing.TB, name string) float64 {
	tb.Helper()
	response, err := patientClient.Get(s.OperatorURL() + "/metrics")
	if err != nil {
		tb.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n"+name+" ")
	var value float64
	if _, err := fmt.Sscan(rest, &value); !found || err != nil {
		tb.Fatalf("there is no metric %s: %v", name, err)
	}
	return value
}

// Eventually polls until a condition holds, and fails the test if that takes longer than a limit.
func Eventually(tb testing.TB, limit time.Duration, what string, isSo func() bool) {
	tb.Helper()
	for start := time.Now(); !isSo(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > limit {
			tb.Fatalf("after %s still not: %s", limit, what)
		}
	}
}
