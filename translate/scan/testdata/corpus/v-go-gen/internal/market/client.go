// Package market is a client.
package market

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	defaultBase = "https://rest.delcampe.net/rest"

	pathSeller   = "/seller"
	pathItem     = "/item/%d"
	pathSold     = "/item/%s/sold"
	pathSettings = "/notification/settings"
	pathUnused   = "/item/%d/restart"
)

// Client calls.
type Client struct {
	Base  string
	Token string
	HTTP  interface {
		Do(*http.Request) (*http.Response, error)
	}
}

func call[T any](ctx context.Context, c *Client, method, path string, form url.Values) (*T, error) {
	body := strings.NewReader(form.Encode())
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, body)
	if err != nil {
		return nil, fmt.Errorf("market: %s /item: %w", method, err)
	}
	q := req.URL.Query()
	q.Set("token", c.Token)
	req.URL.RawQuery = q.Encode()
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out := new(T)
	return out, xml.NewDecoder(res.Body).Decode(out)
}

// Login opens a session.
func (c *Client) Login(ctx context.Context, key string) error {
	s, err := call[session](ctx, c, http.MethodPost, pathSeller, url.Values{"apikey": {key}})
	if err == nil {
		c.Token = s.Token
	}
	return err
}

// Item reads one.
func (c *Client) Item(ctx context.Context, id int64) (*Item, error) {
	return call[Item](ctx, c, http.MethodGet, fmt.Sprintf(pathItem, id), nil)
}

// Close closes one.
func (c *Client) Close(ctx context.Context, id int64, why string) error {
	_, err := call[struct{}](ctx, c, http.MethodDelete, fmt.Sprintf(pathItem, id), url.Values{"reason": {why}})
	return err
}

// Sold lists.
func (c *Client) Sold(ctx context.Context, kind string) (*List, error) {
	return call[List](ctx, c, "GET", fmt.Sprintf(pathSold, kind), nil)
}

// Subscribe subscribes.
func (c *Client) Subscribe(ctx context.Context, to string) error {
	_, err := call[struct{}](ctx, c, "POST", pathSettings, url.Values{"notificationType": {"Curl_Seller_Item_Close_Sold"}, "destination": {to}})
	return err
}
