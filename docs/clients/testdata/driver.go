// Driver does with the client what its arguments say, and prints what came of it: docs/clients/clients_test.go compares the lines of all
// languages.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"shop/client"
)

func main() {
	arguments := append(os.Args[2:], make([]string, 6)...)
	err := run(context.Background(), os.Args[1], arguments)
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		fields := map[string]string{}
		for _, e := range refused.Errors {
			if e.Field != "" {
				fields[e.Field] = e.Message
			}
		}
		fmt.Println("error", refused.Status, refused.Code, cmp.Or(refused.RequestID, "-"), encoded(fields))
	case err != nil:
		fmt.Println("refused", err)
	}
}

func run(ctx context.Context, name string, a []string) error {
	c, err := newClient("")
	if err != nil {
		return err
	}
	switch name {
	case "call":
		return call(ctx, c, a)
	case "message":
		fmt.Println(call(ctx, c, a))
	case "walk":
		query := url.Values{"status": {"open", "scheduled"}, "has_bids": {"false"}, "title": {"A & B"}}
		for item, err := range client.Walk[struct{ ID string }](ctx, c, "/v1/items", query) {
			if err != nil {
				return err
			}
			fmt.Println(item.ID)
		}
	case "events":
		left, _ := strconv.Atoi(a[2])
		for page, err := range c.Events(ctx, a[0], a[1] == "follow", url.Values{"type": {"item.*"}}) {
			if err != nil {
				return err
			}
			line := page.Cursor
			for _, event := range page.Events {
				line += " " + event.ID
			}
			fmt.Println(line)
			if left--; left == 0 {
				return nil
			}
		}
	case "wait":
		submission, err := c.WaitForSubmission(ctx, a[0])
		if err != nil {
			return err
		}
		fmt.Println(submission.ItemID)
	case "rotate":
		overlap, _ := strconv.Atoi(a[0])
		key, err := c.RotateKey(ctx, time.Duration(overlap)*time.Second)
		if err != nil {
			return err
		}
		fmt.Println(key)
	case "addresses":
		for _, address := range a {
			if address == "" {
				break
			}
			if _, err := newClient(address); err != nil {
				fmt.Println("refused", address)
				continue
			}
			fmt.Println("taken", address)
		}
	}
	return nil
}

func newClient(baseURL string) (*client.Client, error) {
	return client.New(client.Config{BaseURL: baseURL, Timeout: seconds("TIMEOUT", 5), Deadline: seconds("DEADLINE", 20), AllowPlainHTTP: os.Getenv("ALLOW_PLAIN_HTTP") != ""})
}

func seconds(name string, usual float64) time.Duration {
	if given, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		usual = given
	}
	return time.Duration(usual * float64(time.Second))
}

func call(ctx context.Context, c *client.Client, a []string) error {
	r := client.Request{Method: a[0], Path: a[1], IdempotencyKey: a[3], Header: http.Header{}}
	if a[2] != "" {
		r.Body = json.RawMessage(a[2])
	}
	if a[4] != "" {
		r.Header.Set(a[4], a[5])
	}
	answer, err := c.Do(ctx, r)
	if err != nil {
		return err
	}
	replayed := "first"
	if answer.Replayed() {
		replayed = "replayed"
	}
	fmt.Println(answer.Status, cmp.Or(string(answer.Data), "null"), cmp.Or(answer.ETag(), "-"), replayed)
	return nil
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}
