package market

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const defaultBase = "https://rest.delcampe.net/rest"

// Client talks to /rest/item and friends.
type Client struct {
	base  string
	token string
	hc    *http.Client
}

type option func(*Client)

func New(opts ...option) *Client {
	c := &Client{base: defaultBase, hc: http.DefaultClient}
	for _, o := range opts {
		o(c)
	}
	return c
}

func (c *Client) do(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
	u, err := url.Parse(c.base + path)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("token", c.token)
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return nil, fmt.Errorf("%s /item: %w", method, err)
	}
	res, err := c.hc.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

func (c *Client) get(ctx context.Context, format string, args ...any) ([]byte, error) {
	return c.do(ctx, http.MethodGet, fmt.Sprintf(format, args...), nil)
}

func (c *Client) Item(ctx context.Context, id int64) (*Item, error) {
	b, err := c.get(ctx, "/item/%d", id)
	if err != nil {
		return nil, err
	}
	var it Item
	return &it, xml.Unmarshal(b, &it)
}

func (c *Client) Buyer(ctx context.Context, id int64) ([]byte, error) {
	return c.get(ctx, "/item/%d/buyer", id)
}

func (c *Client) Close(ctx context.Context, id int64, reason string) error {
	_, err := c.do(ctx, http.MethodDelete, fmt.Sprintf("/item/%d", id), url.Values{"reason": {reason}})
	return err
}

func (c *Client) Bulk(ctx context.Context, items []Item) error {
	form := url.Values{}
	for i, it := range items {
		form.Set(fmt.Sprintf("items[%d][title]", i), it.Title)
	}
	_, err := c.do(ctx, "POST", "/items", form)
	return err
}

func (c *Client) Test(ctx context.Context, typ string) error {
	var path = "/notification/" + "test"
	_, err := c.do(ctx, http.MethodPost, path, url.Values{"notificationType": {typ}})
	return err
}
