// Command dc talks to the marketplace.
//
//	dc get /item/12
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
)

type client struct {
	base  string
	token string
	hc    http.Client
}

type option func(*http.Request)

func form(kv ...string) option {
	v := url.Values{}
	for i := 0; i+1 < len(kv); i += 2 {
		v.Set(kv[i], kv[i+1])
	}
	return func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Body = io.NopCloser(strings.NewReader(v.Encode()))
	}
}

func (c *client) do(ctx context.Context, method, path string, opts ...option) (string, error) {
	u, err := url.JoinPath(c.base, path)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, method, u+"?token="+url.QueryEscape(c.token), nil)
	if err != nil {
		return "", err
	}
	for _, o := range opts {
		o(req)
	}
	res, err := c.hc.Do(req)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return string(b), err
}

func main() {
	base := flag.String("base", "https://rest.delcampe.net/rest", "address")
	flag.Parse()
	c := &client{base: *base, token: os.Getenv("DELCAMPE_TOKEN")}
	ctx := context.Background()
	var out string
	var err error
	switch flag.Arg(0) {
	case "item":
		out, err = c.do(ctx, http.MethodGet, "item/"+flag.Arg(1))
	case "bulk":
		out, err = c.do(ctx, http.MethodPost, "items", form("items", flag.Arg(1)))
	case "switch":
		id, _ := strconv.Atoi(flag.Arg(1))
		out, err = c.do(ctx, "PUT", fmt.Sprintf("notification/%d", id), form("active", "0"))
	case "close":
		out, err = c.do(ctx, http.MethodDelete, strings.Join([]string{"item", flag.Arg(1)}, "/"), form("reason", "TestItem"))
	case "time":
		out, err = c.do(ctx, http.MethodGet, "server/time")
	default:
		log.Fatal("usage: dc item|bulk|switch|close /item/ID")
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
}
