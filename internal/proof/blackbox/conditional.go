package blackbox

import (
	"bytes"
	"net/http"
	"testing"
)

// ETag reads an object's entity tag.
func (c *Client) ETag(tb testing.TB, path string) string {
	tb.Helper()
	request, err := http.NewRequest(http.MethodGet, c.Server.URL()+path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	request.Header.Set("X-Api-Key", c.Key)
	response, err := freshClient.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer response.Body.Close()
	tag := response.Header.Get("ETag")
	if tag == "" {
		tb.Fatalf("GET %s: %d without an ETag", path, response.StatusCode)
	}
	return tag
}

// DoIfMatch sends one request for an object that must still have an entity tag.
func (c *Client) DoIfMatch(method, path, tag string, body []byte) (Answer, error) {
	request, err := http.NewRequest(method, c.Server.URL()+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("X-Api-Key", c.Key)
	request.Header.Set("If-Match", tag)
	return exchange(freshClient, request)
}
