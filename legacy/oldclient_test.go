package legacy_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// This file is a client as one wrote it years ago: it knows a base address, an API key, form posts, and the path of
// each element it reads. Nothing in it knows of /v1. See oldday_test.go for what it does.

// oldClient calls the legacy interface.
type oldClient struct {
	base  string
	key   string
	token string
	http  *http.Client
}

// login opens a session.
func (c *oldClient) login() error {
	answer, err := c.call("POST", "/seller", url.Values{"apikey": {c.key}})
	if err != nil {
		return err
	}
	c.token = answer.text("body/token")
	if c.token == "" {
		return errors.New("the login answered no token")
	}
	return nil
}

// call sends a request as PHP's curl does: a form body, or a query for GET, and the token in the query.
func (c *oldClient) call(method, path string, fields url.Values) (*element, error) {
	address := c.base + "/rest" + path
	query := url.Values{}
	if c.token != "" {
		query.Set("token", c.token)
	}
	var body io.Reader
	if method == "GET" {
		for name, values := range fields {
			query[name] = values
		}
	} else {
		body = strings.NewReader(fields.Encode())
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequest(method, address, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	root, err := readXML(response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	data := root.find("Notification_Data")
	if status := data.text("headers/status"); status != fmt.Sprint(response.StatusCode) {
		return nil, fmt.Errorf("%s %s: headers/status is %q, the response's %d", method, path, status, response.StatusCode)
	}
	if response.StatusCode != http.StatusOK {
		return data, fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, data.text("body/errorMsg"))
	}
	return data, nil
}

// element is an XML element, read by path as simplexml does.
type element struct {
	name     string
	chars    string
	children []*element
}

func readXML(r io.Reader) (*element, error) {
	decoder := xml.NewDecoder(r)
	root := &element{}
	stack := []*element{root}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			if len(root.children) != 1 {
				return nil, errors.New("the XML has no root")
			}
			return root.children[0], nil
		}
		if err != nil {
			return nil, err
		}
		top := stack[len(stack)-1]
		switch token := token.(type) {
		case xml.StartElement:
			child := &element{name: token.Name.Local}
			top.children = append(top.children, child)
			stack = append(stack, child)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.chars += string(token)
		}
	}
}

// all are the elements at a path.
func (e *element) all(path string) (found []*element) {
	if e == nil {
		return nil
	}
	name, rest, deeper := strings.Cut(path, "/")
	for _, child := range e.children {
		switch {
		case child.name != name:
		case deeper:
			found = append(found, child.all(rest)...)
		default:
			found = append(found, child)
		}
	}
	return found
}

func (e *element) find(path string) *element {
	if all := e.all(path); len(all) > 0 {
		return all[0]
	}
	return nil
}

func (e *element) text(path string) string {
	if found := e.find(path); found != nil {
		return found.chars
	}
	return ""
}

// must is for steps that have to work.
func must(t *testing.T, answer *element, err error) *element {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
