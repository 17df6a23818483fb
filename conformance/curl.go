package conformance

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/shell"
)

// command is a parsed curl command: the part of curl that transcripts need. A body that is too large for a command line is
// piped into it: head -c 3000000 /dev/zero | curl ... --json @-
type command struct {
	method  string
	url     string
	query   []string    // --url-query
	headers http.Header // an empty value removes the header, as in curl
	data    []string    // the parts of the body, one for each -d
	parts   []string    // -F by -F
	hasBody bool
	piped   string // the input of --json @-
	after   string // the cursor at which a list goes on, instead of the one in the address
}

// pipe matches the commands that may be piped into a curl command.
var pipe = regexp.MustCompile(`\Ahead -c (\d+) /dev/zero \| `)

// changesUsual says whether a command changes the usual one.
func changesUsual(text string) bool {
	return strings.HasPrefix(pipe.ReplaceAllString(text, ""), "curl ...")
}

// form is the media type that curl gives to -d.
const form = "application/x-www-form-urlencoded"

// fields splits a command as a shell does.
func fields(text string, env func(string) string) ([]string, error) { return shell.Fields(text, env) }

// read reads a curl command. One that begins with "curl ..." changes the usual one.
func read(text string, vars map[string]string, usual string) (*command, error) {
	var piped string
	if size := pipe.FindStringSubmatch(text); size != nil {
		n, err := strconv.Atoi(size[1])
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", text, err)
		}
		piped, text = strings.Repeat("\x00", n), text[len(size[0]):]
	}
	var unknown []string
	words, err := fields(text, func(name string) string {
		value, ok := vars[name]
		if !ok && strings.Contains(text, "$"+name) { // a shell has variables of its own
			unknown = append(unknown, name)
		}
		return value
	})
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", text, err)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("%q: nothing is called %s", text, strings.Join(unknown, ", "))
	}
	c := &command{headers: http.Header{}}
	words = words[1:]
	if len(words) > 0 && words[0] == "..." {
		if usual == "" {
			return nil, fmt.Errorf("%q: there is no usual request", text)
		}
		if c, err = read(usual, vars, ""); err != nil {
			return nil, err
		}
		words = words[1:]
	}
	c.piped = piped
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "-I" {
			c.method = http.MethodHead
			continue
		}
		if !strings.HasPrefix(word, "-") {
			c.url = word
			continue
		}
		if data, ok := strings.CutPrefix(word, "-d"); ok && data != "" { // in one word, so that a shell can make many of one
			c.addData(data)
			continue
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("%q: %s has no value", text, word)
		}
		if err := c.option(word, words[0]); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		words = words[1:]
	}
	return c, nil
}

func (c *command) option(name, value string) error {
	switch name {
	case "-X":
		c.method = value
	case "-H":
		header, text, ok := strings.Cut(value, ":")
		if !ok {
			return fmt.Errorf("%q is no header", value)
		}
		c.headers.Set(header, strings.TrimPrefix(text, " "))
	case "--url-query":
		c.query = append(c.query, strings.TrimPrefix(value, "+")) // after a plus curl takes the rest as already escaped
	case "--json":
		c.headers.Set("Content-Type", "application/json")
		if value == "@-" {
			value = c.piped
		}
		c.data, c.hasBody = []string{value}, true
	case "-d":
		c.addData(value)
	case "-F":
		c.headers.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		c.parts, c.hasBody = append(c.parts, value), true
	default:
		return fmt.Errorf("transcripts do not use %s", name)
	}
	return nil
}

// addData adds to a form. It replaces a body of another kind.
func (c *command) addData(data string) {
	switch is := c.headers.Get("Content-Type"); {
	case is == "":
		c.headers.Set("Content-Type", form)
	case !strings.HasPrefix(is, form):
		c.data = nil
	}
	c.data, c.hasBody = append(c.data, data), true
}

// boundary stands between the parts of a multipart body.
const boundary = "------------------------conformance"

// body is the body that the options make.
func (c *command) body() string {
	if len(c.parts) == 0 {
		return strings.Join(c.data, "&")
	}
	var b strings.Builder
	for _, part := range c.parts {
		name, value, _ := strings.Cut(part, "=")
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", boundary, name, value)
	}
	return b.String() + "--" + boundary + "--\r\n"
}

// expectAbove is the size in bytes above which curl sends Expect: 100-continue.
const expectAbove = 1 << 20

// request makes the request that curl would make.
func (c *command) request() (*http.Request, error) {
	method := c.method
	if method == "" {
		method = http.MethodGet
		if c.hasBody {
			method = http.MethodPost
		}
	}
	u, err := url.Parse(c.url)
	if err != nil {
		return nil, err
	}
	for _, pair := range c.query {
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += pair
	}
	if c.after != "" {
		query := u.Query()
		query.Set("after", c.after)
		u.RawQuery = query.Encode()
	}
	var body io.Reader = http.NoBody
	if c.hasBody {
		body = strings.NewReader(c.body())
	}
	r, err := http.NewRequest(method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > expectAbove { // so that an error answer arrives before the body is sent, and is not lost
		r.Header.Set("Expect", "100-continue")
	}
	for name := range c.headers {
		if value := c.headers.Get(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	return r, nil
}
