// Package delcampe calls GET /item/auction/sold and others.
package delcampe

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const base = "https://rest.delcampe.net"

type Client struct {
	HTTP  *http.Client
	Token string
}

func (c *Client) do(method, path string, form url.Values) (*http.Response, error) {
	req, err := http.NewRequest(method, base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, fmt.Errorf("%s /item/%s: %w", method, path, err)
	}
	return c.HTTP.Do(req)
}

func (c *Client) Item(id int64) (*http.Response, error) {
	return c.do(http.MethodGet, fmt.Sprintf("/item/%d", id), nil)
}

func (c *Client) Close(id int64, reason string) error {
	_, err := c.do(http.MethodDelete, "/item/"+strconv.FormatInt(id, 10), url.Values{"reason": {reason}})
	return err
}

func (c *Client) Restart(id int64) error {
	u := fmt.Sprintf("%s/item/%d/restart?token=%s", base, id, c.Token)
	resp, err := http.Post(u, "application/x-www-form-urlencoded", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (c *Client) Create(form url.Values) (*http.Response, error) {
	return http.PostForm(base+"/item", form)
}

func (c *Client) Lists() {
	for _, kind := range []string{"auction", "fixedprice"} {
		http.Get(base + "/item/" + kind + "/closed")
	}
	var endpoints = map[string]string{
		"types": "/notification/types",
		"models": "/shippingModels",
	}
	for _, path := range endpoints {
		c.do("GET", path, nil)
	}
}
